import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** Collects garbage. */
export const collect: () => void = runInNewContext("gc") as () => void;

/** Collects garbage until nothing more goes, and tells what is left on the heap, in bytes. */
export async function heapAfterCollection(): Promise<number> {
  let last = Infinity;
  for (let times = 0; times < 8; times += 1) {
    collect();
    await delay(20);
    const { heapUsed } = process.memoryUsage();
    if (heapUsed > last * 0.999) return heapUsed;
    last = heapUsed;
  }
  return last;
}
