import { expect } from "vitest";
import { processorTime } from "./processor-time.js";

/** How many times as large the large input is as the small input. */
const factor = 8;

/**
 * How many times as long the large input may take. In linear time it takes 8 times as long, and in
 * quadratic time 64 times as long.
 */
const limit = 24;

/** Processor time in milliseconds that a measurement takes at least, because shorter times vary. */
const measuredMs = 20;

/** How often the times are measured: other code of the process also takes time. */
const attempts = 5;

/** Returns the processor time of a call, in milliseconds: the mean of as many calls as required. */
async function timeOf(call: () => unknown): Promise<number> {
  const started = processorTime();
  for (let calls = 1; ; calls += 1) {
    await call();
    const time = processorTime() - started;
    if (time >= measuredMs) return time / calls;
  }
}

/**
 * Checks that work takes linear time in the size of its input, on a machine of any speed: compares
 * the times for two inputs.
 * @param size Size of the large input.
 * @param inputOf Returns an input of a size. Its time is not measured.
 * @param work Takes an input. May return a promise.
 */
export async function expectLinearTime<Input>(
  size: number,
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
): Promise<void> {
  const small = inputOf(Math.ceil(size / factor));
  const large = inputOf(size);
  let ratio = Infinity;
  for (let attempt = 0; attempt < attempts && ratio >= limit; attempt += 1) {
    const smallTime = await timeOf(() => work(small));
    const largeTime = await timeOf(() => work(large));
    ratio = Math.min(ratio, largeTime / smallTime);
  }
  expect(ratio, `${String(factor)} times the input takes linear time`).toBeLessThan(limit);
}
