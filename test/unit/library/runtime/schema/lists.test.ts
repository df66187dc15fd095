import { describe, expect, it } from "vitest";
import { check, parse } from "../../../../../library/runtime/schema/schema.js";
import { int32, list } from "../../../../../library/runtime/schema/types.js";

describe("a list", () => {
  const numbers = list(int32);

  it("a list is copied into its canonical form, and the original stays unchanged", () => {
    const given = Object.freeze([1, "2", 3]);
    expect(parse(numbers, given)).toEqual([1, 2, 3]);
    expect(given).toEqual([1, "2", 3]);
  });

  it("a list in canonical form is returned unchanged", () => {
    const given = Object.freeze([1, 2, 3]);
    expect(check(numbers, given, "strict").value).toBe(given);
  });

  it.each(["json", "strict"] as const)(
    "each invalid element of a list is reported, checked as %s",
    (mode) => {
      const { issues = [] } = check(numbers, [1, "a", 3, null], mode);
      expect(issues.map(({ pointer }) => pointer)).toEqual(["/1", "/3"]);
    },
  );
});
