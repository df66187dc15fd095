import { expect, it } from "vitest";
import { expectLinearTime } from "../../support/linear-time.js";

/** Changes with each step, so that no compiler leaves the steps out. */
let sum = 0;

function takeSteps(count: number): void {
  for (let step = 0; step < count; step += 1) sum = (sum + step) % 1_000_003;
}

const sizeOf = (size: number) => size;

it("expectLinearTime accepts work in linear time, also if it is short or asynchronous", async () => {
  await expectLinearTime(1_000_000, sizeOf, takeSteps);
  await expectLinearTime(8, sizeOf, takeSteps);
  await expectLinearTime(100_000, sizeOf, async (size) => {
    await Promise.resolve();
    takeSteps(size);
  });
});

it("expectLinearTime refuses work in quadratic time", async () => {
  const work = (size: number) => takeSteps(size ** 2);
  await expect(expectLinearTime(8_000, sizeOf, work)).rejects.toThrow("linear time");
});
