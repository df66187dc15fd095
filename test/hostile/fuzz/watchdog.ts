import { Worker } from "node:worker_threads";

/** Watches a thread that may hang in one case without an end. */
export interface Watchdog {
  /** Records that a case starts. */
  begin(index: number): void;
  close(): Promise<void>;
}

const program = `
const { workerData: { shared, name, seed, limitMs } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const cell = new Int32Array(shared);
for (let last = -1, since = Date.now(); ; Atomics.wait(cell, 1, 0, 200)) {
  const now = Atomics.load(cell, 0);
  if (Atomics.load(cell, 1) === 1) break;
  if (now !== last) [last, since] = [now, Date.now()];
  if (Date.now() - since < limitMs) continue;
  writeSync(2, name + ": case " + now + " of seed " + seed + " hangs; repeat it with TEST_SEED=" + seed + " FUZZ_CASE=" + now + "\\n");
  process.kill(process.pid, "SIGKILL");
}
`;

/**
 * Ends the process, with a message that names the case, once a case takes longer than `limitMs`.
 */
export function watch(name: string, seed: number, limitMs: number): Watchdog {
  const shared = new SharedArrayBuffer(8);
  const cell = new Int32Array(shared);
  const worker = new Worker(program, { eval: true, workerData: { shared, name, seed, limitMs } });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  return {
    begin: (index) => void Atomics.store(cell, 0, index),
    async close() {
      Atomics.store(cell, 1, 1);
      Atomics.notify(cell, 1);
      await ended;
    },
  };
}
