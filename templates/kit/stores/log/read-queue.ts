import type { Position } from "./rows.js";
import type { Batch, ReadBatch } from "./watch-hub.js";

/**
 * Reads the entries of some tasks, each after a position, and returns them in the same order; an error for a task that
 * cannot be read.
 */
export type ReadBatches = (wanted: readonly Wanted[]) => Promise<readonly (Batch | Error)[]>;

/** What somebody wants to read. */
export interface Wanted {
  readonly id: string;
  readonly after: Position;
}

interface Waiting extends Wanted {
  readonly resolve: (batch: Batch) => void;
  readonly reject: (error: unknown) => void;
}

/** How many calls are under way at once: the other connections are for who writes. */
const manyCalls = 2;

/** How many tasks one call reads. */
const manyTasks = 50;

/** Returns how to read one task where tasks that are wanted at once, or while calls are under way, are read together. */
export function readTogether(read: ReadBatches): ReadBatch {
  const waiting: Waiting[] = [];
  let underWay = 0;
  const advance = (): void => {
    while (underWay < manyCalls && waiting.length > 0) {
      const wanted = waiting.splice(0, manyTasks);
      underWay += 1;
      void settle(read, wanted).then(() => {
        underWay -= 1;
        advance();
      });
    }
  };
  return (id, after) =>
    new Promise((resolve, reject) => {
      // Whoever is woken together asks in the same turn of the event loop.
      if (waiting.push({ id, after, resolve, reject }) === 1) queueMicrotask(advance);
    });
}

/** Reads what is wanted, and hands it out. Never rejects. */
async function settle(read: ReadBatches, wanted: readonly Waiting[]): Promise<void> {
  try {
    const batches = await read(wanted);
    for (const [at, { resolve, reject }] of wanted.entries()) {
      const batch = batches.at(at);
      if (batch === undefined) reject(new TypeError("The database has returned less than was asked for"));
      else if (batch instanceof Error) reject(batch);
      else resolve(batch);
    }
  } catch (error) {
    for (const { reject } of wanted) reject(error);
  }
}
