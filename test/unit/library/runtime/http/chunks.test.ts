import { expect, it } from "vitest";
import { Chunks } from "../../../../../library/runtime/http/adapters/chunks.js";
import { collect } from "../../../../hostile/load/collect.js";
import { Random } from "../../../../support/random/random.js";

it("chunks of any sizes are joined in their order", () => {
  const random = new Random(7);
  for (let round = 0; round < 200; round += 1) {
    const sizes = Array.from({ length: random.below(40) }, () =>
      random.oneIn(3) ? random.below(40_000) : random.below(20),
    );
    const given = sizes.map((size) => Buffer.alloc(size, random.below(256)));
    const chunks = new Chunks();
    for (const chunk of given) chunks.add(chunk);
    expect(chunks.length).toBe(given.reduce((sum, { length }) => sum + length, 0));
    expect(chunks.take().equals(Buffer.concat(given))).toBe(true);
    expect([chunks.length, chunks.take().length]).toEqual([0, 0]);
  }
});

it("a body of single bytes takes a few times its size", () => {
  const size = 2 ** 20;
  const before = memory();
  const chunks = new Chunks();
  for (let at = 0; at < size; at += 1) chunks.add(Buffer.of(1));
  expect(memory() - before).toBeLessThan(4 * size);
  expect(chunks.take().length).toBe(size);
});

/** The memory that is in use after a garbage collection. */
function memory(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
