import fc from "../../../support/properties.js";
import { describe, expect, it } from "vitest";
import { mergeService } from "../../../../generator/merge/merge.js";
import { sized } from "../../../support/size.js";
import { layouts, names, planFor } from "./layouts.js";
import { lostLine } from "./merging.js";

const known = fc.subarray([...names]);
const runs = { numRuns: sized(30, 60) };

describe("a file in any layout", () => {
  it("a merged file keeps every line in order and gets exactly the new missing methods", () => {
    fc.assert(
      fc.property(layouts, known, ({ text, has }, before) => {
        const { text: merged, added, removed, missing } = mergeService(text, planFor(before));
        const expected = names.filter((name) => !before.includes(name) && !has.includes(name));
        expect(added.map(({ method }) => method).toSorted()).toEqual([...expected].toSorted());
        expect([removed, missing]).toEqual([[], []]);
        expect(lostLine(text, merged)).toBe(undefined);
        if (expected.length === 0) expect(merged).toBe(text);
      }),
      runs,
    );
  });

  it("a second run does not change a byte, regardless of what it knows", () => {
    fc.assert(
      fc.property(layouts, known, ({ text }, before) => {
        const { text: merged } = mergeService(text, planFor(before));
        for (const again of [before, names, undefined])
          expect(mergeService(merged, planFor(again)).text).toBe(merged);
      }),
      runs,
    );
  });

  it("a merged file keeps its line ends, its indentation and its semicolons", () => {
    fc.assert(
      fc.property(layouts, ({ text }) => {
        const { text: merged } = mergeService(text, planFor([]));
        const isWindows = text.includes("\r\n");
        expect(merged.replaceAll("\r\n", "").includes("\n")).toBe(!isWindows);
        const isMember = (line: string) => /^\s+async \w+\(_request/.test(line);
        const heads = merged
          .split(/\r?\n/)
          .filter(isMember)
          .map((line) => /^\s+/.exec(line)?.[0]);
        const own = /^(\s+)(?:async )?["']?\w+["']?(?: = | ?: ?)?\(\)/m
          .exec(text)?.[1]
          ?.replaceAll(/[\r\n]/g, "");
        if (own !== undefined)
          expect(new Set(heads)).toEqual(new Set(heads.length === 0 ? [] : [own]));
        if (/^import .*['"]$/m.test(text.replaceAll("\r", "")))
          expect(merged).not.toContain("Refusal();");
      }),
      runs,
    );
  });

  it("a merged file has new methods in the order of the specification between the methods of the user", () => {
    fc.assert(
      fc.property(layouts, known, ({ text, has }, before) => {
        const own = has.filter((name) => names.some((one) => one === name));
        const order = (list: readonly string[]) =>
          names.filter((name) => list.includes(name)).join();
        fc.pre(own.join() === order(own));
        const { text: merged } = mergeService(text, planFor(before));
        const found = [
          ...merged.matchAll(
            /^\s+(?:async )?["']?(open|read|list|watch|close|sync)["']?(?: = | ?: ?)?\(/gm,
          ),
        ];
        expect(found.map(([, name]) => name).join()).toBe(
          order(found.map(([, name = ""]) => name)),
        );
      }),
      runs,
    );
  });
});
