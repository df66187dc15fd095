import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate, tsProto } from "../areas/generation.js";
import { median, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import { madeUpProto } from "../made-up.js";
import type { Point } from "../point.js";
import type { Taken } from "../processes.js";

const sizes = [10, 100, 1_000, 10_000];

/** Greatest number of messages for which ts-proto ends within a minute. */
const mostOfPeer = 1_000;

/**
 * Measures the time and memory to generate all targets that only require a proto, for protos with
 * more and more messages, and what ts-proto takes for its messages and services.
 */
export async function* measure({ quick }: Effort): AsyncGenerator<Point> {
  for (const x of quick ? [10] : sizes) {
    const folder = join(outFolder, `made-up-${x}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "main.proto"), madeUpProto(x));
    const rounds = quick || x > 100 ? 1 : 3;
    yield* ofRuns("a2a-codegen", x, rounds, () => generate(join(folder, "main.proto")));
    if (x <= mostOfPeer) yield* ofRuns("ts-proto", x, rounds, tsProto(folder));
  }
}

async function* ofRuns(
  series: string,
  x: number,
  rounds: number,
  run: () => Promise<Taken>,
): AsyncGenerator<Point> {
  const taken: Taken[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await run());
  yield { panel: "time", series, x, y: median(taken.map(({ ms }) => ms / 1_000)) };
  yield { panel: "memory", series, x, y: Math.max(...taken.map(({ bytes }) => bytes / 2 ** 20)) };
}
