import { describe, expect, it } from "vitest";
import { check, parse } from "../../../templates/runtime/schema/schema.js";
import { int32, list } from "../../../templates/runtime/schema/types.js";

describe("a list", () => {
  const numbers = list(int32);

  it("is copied into its canonical form, and left alone itself", () => {
    const given = Object.freeze([1, "2", 3]);
    expect(parse(numbers, given)).toEqual([1, 2, 3]);
    expect(given).toEqual([1, "2", 3]);
  });

  it("is given back as it is where only the canonical form will do", () => {
    const given = Object.freeze([1, 2, 3]);
    expect(check(numbers, given, "strict").value).toBe(given);
  });

  it.each(["json", "strict"] as const)("reports each element that is wrong, checked as %s", (mode) => {
    const { issues = [] } = check(numbers, [1, "a", 3, null], mode);
    expect(issues.map(({ pointer }) => pointer)).toEqual(["/1", "/3"]);
  });
});
