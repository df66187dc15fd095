import { describe, expect, it } from "vitest";
import { compareVersions } from "../../../generator/support/versions.js";
import fc from "../../support/properties.js";

describe("the order of versions", () => {
  it("goes by their numbers, and drafts are behind what they are drafts of", () => {
    const sorted = ["0.2.6", "0.3", "0.3.0", "0.10.0", "1.0", "1.0.1", "1.1", "1.1-draft", "1.10"];
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
  });

  it("is that of numbers, and that of a list behind its beginning", () => {
    const numbers = fc.array(fc.nat(12), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const at = one.findIndex((number, index) => number !== other[index]);
        const [number, otherNumber] = [one[at], other[at]];
        const isBoth = number !== undefined && otherNumber !== undefined;
        const expected = isBoth ? number - otherNumber : one.length - other.length;
        expect(Math.sign(compareVersions(one.join("."), other.join(".")))).toBe(Math.sign(expected));
      }),
    );
  });
});
