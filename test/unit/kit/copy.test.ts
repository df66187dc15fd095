import { describe, expect, it } from "vitest";
import { copyOf, extended } from "../../../templates/kit/copy.js";

// As JSON.parse makes it: an own member, and no prototype.
const hostile = JSON.parse('{ "__proto__": { "admin": true }, "a": 1 }') as Record<string, unknown>;

describe("a copy", () => {
  it("has the members of the object itself, and is another one", () => {
    const inner = { b: 2 };
    const original = Object.assign(Object.create({ inherited: true }) as object, { a: 1, inner });
    const copy = copyOf(original);
    expect(copy).toStrictEqual({ a: 1, inner });
    expect(copy).not.toBe(original);
    expect(copy.inner).toBe(inner);
  });

  it("with more members has these in the place of its own, and leaves the object as it was", () => {
    const original = { a: 1, b: 2 };
    expect(extended(original, { b: 3, c: 4 })).toStrictEqual({ a: 1, b: 3, c: 4 });
    expect(original).toStrictEqual({ a: 1, b: 2 });
  });

  it.each([
    ["copied", copyOf(hostile)],
    ["extended", extended(hostile, { b: 2 })],
  ])("of a member called __proto__ has that member, and no other prototype, when %s", (_, copy) => {
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.hasOwn(copy, "__proto__")).toBe(true);
    expect("admin" in copy).toBe(false);
  });
});
