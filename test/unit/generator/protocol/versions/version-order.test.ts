import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compareVersions } from "../../../../../support/versions.js";
import fc from "../../../../support/properties.js";

describe("the order of versions", () => {
  it("versions are compared by numbers, and a draft precedes its version", () => {
    const sorted = [
      "0.2.6",
      "0.3",
      "0.4-draft",
      "0.10.0",
      "1.0",
      "1.0.1",
      "1.1-draft",
      "1.1-rc",
      "1.1.0",
      "1.10",
    ];
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
  });

  it("a missing number counts as 0", () => {
    expect(compareVersions("1.1", "1.1.0")).toBe(0);
    expect(compareVersions("1.1", "1.1.1")).toBeLessThan(0);
  });

  it("the order is total on the bundled versions and on random versions", () => {
    const bundled = readdirSync("spec").filter((name) => /^\d/.test(name));
    const random = fc
      .tuple(
        fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "-draft", "-rc"),
      )
      .map(([numbers, suffix]) => numbers.join(".") + suffix);
    const version = fc.oneof(fc.constantFrom(...bundled), random);
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(compareVersions(a, a)).toBe(0);
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
