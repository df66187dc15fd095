import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { readExpectations } from "../../../../tools/probe/expected.js";
import { allCardRules, allRules } from "../../../../tools/probe/rules/index.js";
import { placeOf } from "../../../../tools/probe/rule.js";
import { sdkListOf, sdkNames } from "../../../../tools/probe/sdks.js";

const pathOf = (name: string) => sdkListOf(name) ?? name;

describe("the lists of rules that agents on official SDKs break", () => {
  it("each list in the folder has a name, and each name has a list", () => {
    const files = readdirSync(dirname(pathOf(sdkNames[0])));
    expect(files.sort()).toEqual(sdkNames.map((name) => basename(pathOf(name))).sort());
  });

  it.each(sdkNames)(
    "each entry of %s is a rule once, with the section of the specification of this version",
    (name) => {
      const text = readFileSync(pathOf(name), "utf8");
      expect(text).toMatch(/^# A2A \w+ SDK \d\S* \(\S+\), .*A2A \d\.\d\n\n/);
      const isCurrent = !name.endsWith("0.3");
      const entries = readExpectations(text, name);
      const wrong = entries.filter(({ id, lane, reason }) => {
        const [rule, cardRule] = [allRules, allCardRules].map((rules) =>
          rules.find((each) => each.id === id),
        );
        // A card of 0.3 may also have the members of 1.0.
        const places = [
          ...(rule ? [placeOf(rule, isCurrent, lane)] : []),
          ...(cardRule ? [placeOf(cardRule, true), placeOf(cardRule, false)] : []),
        ];
        return !places.some((place) => place && reason.endsWith(` (${place.section})`));
      });
      expect(wrong).toEqual([]);
      const keys = entries.map(({ id, lane }) => `${id} ${lane}`);
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  it("the page on the probe contains each list with its release", () => {
    const page = readFileSync(join(packageFolder, "docs", "probe.md"), "utf8");
    for (const name of sdkNames) {
      const [, sdk = ""] = /^# A2A (\w+ SDK \S+) /.exec(readFileSync(pathOf(name), "utf8")) ?? [];
      expect(page.replaceAll(/ +/g, " ")).toContain(`| \`sdk:${name}\` | ${sdk}`);
    }
  });

  it("the lines of each list are sorted, and have at most 100 columns", () => {
    for (const name of sdkNames) {
      const lines = readFileSync(pathOf(name), "utf8").trimEnd().split("\n").slice(2);
      expect(lines).toEqual([...lines].sort());
      expect(lines.filter((line) => line.length > 100)).toEqual([]);
    }
  });
});
