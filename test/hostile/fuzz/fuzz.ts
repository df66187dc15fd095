import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { numberOf, seed } from "../../support/seed.js";
import { sized } from "../../support/size.js";
import { run, type Budget, type Campaign, type Report } from "../../support/campaign.js";
import { watch } from "./watchdog.js";

/**
 * Time after which a case counts as hanging, including shrinking and the delays of a busy machine.
 */
const hangMs = 60_000;

/**
 * By how many bytes the heap may grow in the second half of a campaign: caches and compiled code
 * come and go.
 */
const growthLimit = 8 * 1024 * 1024;

/** How much of a campaign file is a campaign of it. */
export interface Share {
  /** Cases of a thorough run. `test:all` tries half of them, and other runs a tenth. */
  readonly cases: number;
  /** Its share of the time in a run of the script; all of it by default. */
  readonly share?: number;
}

/**
 * Declares a campaign as a test with few cases, or for `FUZZ_SECONDS` if the script sets it.
 * `FUZZ_CASE` selects a single case.
 */
export function fuzz<Case>(campaign: Campaign<Case>, { cases, share = 1 }: Share): void {
  const seconds = numberOf("FUZZ_SECONDS");
  const amount =
    seconds === undefined
      ? { cases: sized(Math.ceil(cases / 10), Math.ceil(cases / 2)) }
      : { seconds: seconds * share, heap: heapAfterCollection() };
  it(
    `the code under test withstands ${campaign.name}`,
    { timeout: 120_000 + (seconds ?? 0) * 2_000 },
    async () => {
      const watchdog = watch(campaign.name, seed, hangMs);
      try {
        const only = numberOf("FUZZ_CASE");
        const budget: Budget = { seed, ...amount, only, begin: (index) => watchdog.begin(index) };
        const report = await run(campaign, budget);
        if (seconds !== undefined) console.log(lineOf(report));
        if (report.growth !== undefined)
          expect(report.growth, "growth of the heap").toBeLessThan(growthLimit);
      } finally {
        await watchdog.close();
      }
    },
  );
}

function lineOf({ name, cases, counts, slowest, growth = 0 }: Report) {
  const outcomes = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `${count} ${outcome}`);
  const heap = `${growth < 0 ? "" : "+"}${(growth / 1024 / 1024).toFixed(1)} MiB`;
  return `${name}: ${cases} cases (${outcomes.join(", ")}); slowest ${slowest.toFixed(0)} ms; heap ${heap}`;
}

/** Gives a function that collects garbage and tells what is left on the heap. */
function heapAfterCollection() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return () => {
    for (let times = 0; times < 3; times += 1) collect();
    return process.memoryUsage().heapUsed;
  };
}
