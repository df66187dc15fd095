import { describe, expect, it } from "vitest";
import { defined } from "../../../support/values.js";

describe("an object with optional members", () => {
  it("an object keeps all members except members without a value", () => {
    const made = defined({ a: 0, b: undefined, c: null, d: false, e: "" });
    expect(Object.entries(made)).toEqual([
      ["a", 0],
      ["c", null],
      ["d", false],
      ["e", ""],
    ]);
  });

  it("an object may have a member with the name of the prototype", () => {
    const made = defined(JSON.parse('{ "__proto__": 1 }') as Readonly<Record<string, number>>);
    expect(Object.keys(made)).toEqual(["__proto__"]);
  });
});
