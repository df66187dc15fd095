import { describe, expect, it } from "vitest";
import { copyOf, extended } from "../../../../library/kit/copy.js";

// As JSON.parse makes it: an own member, and no prototype.
const hostile = JSON.parse('{ "__proto__": { "admin": true }, "a": 1 }') as Record<string, unknown>;

describe("a copy", () => {
  it("a copy has the own members of the object and is a new object", () => {
    const inner = { b: 2 };
    const original = Object.assign(Object.create({ inherited: true }) as object, { a: 1, inner });
    const copy = copyOf(original);
    expect(copy).toStrictEqual({ a: 1, inner });
    expect(copy).not.toBe(original);
    expect(copy.inner).toBe(inner);
  });

  it("a copy with additional members overrides the members of the object and does not change the object", () => {
    const original = { a: 1, b: 2 };
    expect(extended(original, { b: 3, c: 4 })).toStrictEqual({ a: 1, b: 3, c: 4 });
    expect(original).toStrictEqual({ a: 1, b: 2 });
  });

  it.each([
    ["copied", copyOf(hostile)],
    ["extended", extended(hostile, { b: 2 })],
  ])(
    "a copy of a member called __proto__ has that member and no other prototype, if it was %s",
    (_, copy) => {
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect(Object.hasOwn(copy, "__proto__")).toBe(true);
      expect("admin" in copy).toBe(false);
    },
  );
});
