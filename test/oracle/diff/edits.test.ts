import fc from "../../support/properties.js";
import { beforeAll, describe, expect, it } from "vitest";
import { brokenSurfaces, compareProtocols } from "../../../generator/diff/compare.js";
import { lineOf } from "../../../generator/diff/report.js";
import { surfaces, type Change, type Surface } from "../../../generator/diff/types.js";
import type { Protocol } from "../../../generator/protocol/model/types.js";
import { readSource } from "../../unit/generator/input/proto/reading.js";
import { seed } from "../../support/seed.js";
import { sized } from "../../support/size.js";
import { findSource, sourceOf } from "../../support/output.js";
import { brokenRules, hasBuf, ruleCategories } from "./buf.js";
import { differences, differencesOf, expectedOf, surfacesOf } from "./differences.js";
import { edit, edits, type Edited, type EditName } from "./edits.js";
import { protoOf, protos, render, type Proto } from "../../unit/generator/diff/protos.js";

/** An edit of a proto, and what the command says about it. */
interface Case {
  readonly name: EditName;
  readonly edited: Edited;
  readonly before: string;
  readonly after: string;
  /** The two texts as buf reads them. */
  readonly bare: readonly [string, string];
  readonly changes: readonly Change[];
}

const names = Object.keys(edits) as EditName[];
const count = sized(250, 400);

/** Random numbers, which choose what is edited. */
const numbers = fc.tuple(fc.nat(999), fc.nat(999));
const tenOf = fc.array(numbers, { minLength: 10, maxLength: 10 });

/**
 * Edits of random protos, if possible, with each kind in turn. The first edits are applied to the
 * published proto.
 */
function casesOf() {
  const published = protoOf(findSource("1.0").proto?.text ?? "");
  const picks = [
    ...fc
      .sample(numbers, { seed, numRuns: names.length })
      .map((pick) => [published, pick] as const),
    ...fc
      .sample(fc.tuple(protos, tenOf), { seed, numRuns: count / 5 })
      .flatMap(([proto, all]) => all.map((pick) => [proto, pick] as const)),
  ];
  const cases: Case[] = [];
  for (const [index, [proto, pick]] of picks.entries()) {
    const name = names[index % names.length];
    const done = name === undefined ? undefined : edit(proto, name, pick);
    if (name !== undefined && done !== undefined && cases.length < count)
      cases.push(caseOf(proto, name, done, cases.length));
  }
  return cases;
}

const read = new Map<Proto, Protocol>();

function caseOf(proto: Proto, name: EditName, done: Edited, index: number): Case {
  const [before, after] = [render(proto, "p"), render(done.proto, "p")];
  const from = read.get(proto) ?? readSource(sourceOf(before));
  read.set(proto, from);
  const changes = compareProtocols(from, readSource(sourceOf(after)));
  // For buf, every proto has a separate package and no options of other packages, which buf does
  // not read.
  const bare = [render(proto, `p${index}`, true), render(done.proto, `p${index}`, true)] as const;
  return { name, edited: done, before, after, bare, changes };
}

function ratingOf(changes: readonly Change[]): Surface[] {
  const broken = new Set(changes.flatMap(brokenSurfaces));
  return surfaces.filter((surface) => broken.has(surface));
}

/** Fails with the smallest of the cases that are wrong, and how many more there are. */
function expectNone(wrong: readonly (readonly [Case, string])[]) {
  const [first] = [...wrong].sort(([a], [b]) => a.before.length - b.before.length);
  if (first === undefined) return;
  const [{ name, before, after, changes }, problem] = first;
  const lines = changes.map((change) => `${lineOf(change)} [${brokenSurfaces(change).join(", ")}]`);
  const kinds = [...new Set(wrong.map(([one]) => one.name))].join(", ");
  const text = [`${name}: ${problem}`, ...lines, "", before, "after:", after].join("\n");
  expect.fail(`${wrong.length} of ${count} edits (TEST_SEED=${seed}; ${kinds})\n${text}`);
}

let cases: readonly Case[];

beforeAll(() => {
  cases = casesOf();
});

describe(`the comparison of protos before and after ${count} random edits (TEST_SEED=${seed})`, () => {
  it("the edits include every kind of edit", () => {
    const met = new Set(cases.map(({ name }) => name));
    expect(names.filter((name) => !met.has(name))).toEqual([]);
    expect(cases).toHaveLength(count);
  });

  it("the comparison names the change of each edit", () => {
    const wrong = cases.flatMap((one): [Case, string][] => {
      // Names of protobuf have underscores, and names of JSON do not.
      const plain = (text: string) => text.replaceAll("_", "").toLowerCase();
      const text = plain(one.changes.map(lineOf).join("\n"));
      const missing = one.edited.names.filter((name) => !text.includes(plain(name)));
      return missing.length === 0
        ? []
        : [[one, `the changes do not name ${missing.join(" and ")}`]];
    });
    expectNone(wrong);
  });

  it("the comparison finds no change if only the order differs", () => {
    const orders = cases.filter(({ name }) => name.startsWith("change the order"));
    expectNone(
      orders.flatMap((one): [Case, string][] =>
        one.changes.length === 0 ? [] : [[one, "it is a change"]],
      ),
    );
  });

  it.skipIf(!hasBuf)(
    `the comparison finds a breaking change exactly if buf does, except for the listed differences${hasBuf ? "" : " (buf does not run here)"}`,
    () => {
      const categories = ruleCategories();
      const rules = brokenRules(cases.map(({ bare }) => bare));
      const met = new Map<unknown, boolean[]>();
      const wrong = cases.flatMap((one, index): [Case, string][] => {
        const broken = surfacesOf(rules[index] ?? new Set(), categories);
        const expected = expectedOf(one.name, one.edited, broken);
        for (const difference of differencesOf(one.name, one.edited)) {
          const says = Object.entries(difference.says);
          const isOne = says.some(([surface, is]) => broken.has(surface as Surface) !== is);
          met.set(difference, [...(met.get(difference) ?? []), isOne]);
        }
        const found = ratingOf(one.changes);
        if (found.join() === expected.join()) return [];
        const text = [...(rules[index] ?? [])].join(", ");
        return [
          [one, `rated [${found.join(", ")}], but [${expected.join(", ")}] after buf (${text})`],
        ];
      });
      expectNone(wrong);
      // A difference that never occurred in buf must be removed from the list.
      const isNone = (one: unknown) =>
        (met.get(one)?.length ?? 0) > 5 && met.get(one)?.includes(true) !== true;
      expect(differences.filter(isNone)).toEqual([]);
    },
  );
});
