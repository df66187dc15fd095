import { expect, it } from "vitest";
import type { Part } from "../../../../generated/1.0/models.js";
import { joined, partsAfter } from "../../../../library/client/differences.js";
import { Repetition } from "../../../../library/client/repetition.js";
import { processorTime } from "../../../support/processor-time.js";
import fc, { arbitrary } from "../../../support/properties.js";
import type { Random } from "../../../support/random/random.js";
import { sized } from "../../../support/size.js";

const alphabet: readonly Part[] = [
  ...["a", "b", "ab", "aba", ""].map((text) => ({ text })),
  ...["a", "", "ab"].map((text) => ({ text, mediaType: "text/markdown" })),
  { url: "https://files.test/a" },
  { data: { count: 1 } },
];

it("for any parts, a repetition decides as if all parts were compared after each chunk", () => {
  const cases = arbitrary((random: Random) => {
    const some = (limit: number) =>
      Array.from({ length: random.below(limit) }, () => random.pick(alphabet));
    const known = some(6);
    // Most chunks repeat the known parts, possibly in shorter texts, so that the comparison continues.
    const repeated = known.flatMap((part): Part[] => {
      const { text = "", mediaType } = part;
      const at = random.below(text.length + 1);
      if (text === "" || random.oneIn(2)) return [part];
      return [text.slice(0, at), text.slice(at)].map((each) => ({
        text: each,
        ...(mediaType !== undefined && { mediaType }),
      }));
    });
    const end = random.oneIn(2) ? repeated.length : random.below(repeated.length + 1);
    const all = [...repeated.slice(0, end), ...some(4)];
    const chunks: Part[][] = [];
    while (all.length > 0) chunks.push(all.splice(0, random.below(3)));
    return { known: joined(known), chunks };
  });
  fc.assert(
    fc.property(cases, ({ known, chunks }) => {
      const repetition = new Repetition(known);
      const all: Part[] = [];
      for (const chunk of chunks) {
        all.push(...chunk);
        const { isRepeated, more } = repetition.add(chunk);
        const after = partsAfter(known, all);
        const expected = after ?? (partsAfter(all, known) === undefined ? "differs" : "continues");
        const actual = more ?? (isRepeated ? "continues" : "differs");
        // Readers get no empty texts.
        const plain = (value: typeof expected | typeof actual) =>
          typeof value === "string" ? value : joined(value).filter(({ text }) => text !== "");
        expect(plain(actual)).toEqual(plain(expected));
        expect(repetition.parts).toEqual(all);
        if (actual !== "continues") break;
      }
    }),
    { numRuns: sized(3_000, 100_000) },
  );
});

it.each<[string, (at: number) => Part]>([
  ["text", (at) => ({ text: `word ${String(at)} ` })],
  ["files", (at) => ({ url: `https://files.test/${String(at)}` })],
])("the time for a repetition of %s grows with its length", (_kind, part) => {
  const timeOf = (count: number) => {
    const parts = Array.from({ length: count }, (_, at) => part(at));
    const repetition = new Repetition(joined(parts));
    const begin = processorTime();
    for (const each of parts) repetition.add([each]);
    return processorTime() - begin;
  };
  timeOf(20_000);
  const [short, long] = [timeOf(20_000), timeOf(80_000)];
  expect(long).toBeLessThan(Math.max(short, 20) * 12);
});
