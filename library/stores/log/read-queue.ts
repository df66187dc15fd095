import type { Position } from "./rows.js";
import type { Batch, ReadBatch } from "./watch-hub.js";

/**
 * Reads the new entries of several tasks, starting after a given position in each task's log.
 * Returns the batches in the same order, with an error for each task that cannot be read.
 */
export type ReadBatches = (requests: readonly ReadRequest[]) => Promise<readonly (Batch | Error)[]>;

/** A task to read, and the position after which to read it. */
export interface ReadRequest {
  readonly id: string;
  readonly after: Position;
}

interface Waiting extends ReadRequest {
  readonly resolve: (batch: Batch) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Maximum number of concurrent reads. The other connections of the pool remain available for
 * writes.
 */
const maxReads = 2;

/** Maximum number of tasks per read. */
const maxTasks = 50;

/**
 * Returns a function that reads one task. Reads that are requested together, or while other reads
 * are running, are combined.
 */
export function readTogether(read: ReadBatches): ReadBatch {
  const waiting: Waiting[] = [];
  let underWay = 0;
  const advance = (): void => {
    while (underWay < maxReads && waiting.length > 0) {
      const requests = waiting.splice(0, maxTasks);
      underWay += 1;
      void settle(read, requests).then(() => {
        underWay -= 1;
        advance();
      });
    }
  };
  return (id, after) =>
    new Promise((resolve, reject) => {
      // Watches that wake at the same time call this function in the same iteration of the event
      // loop, so a microtask can combine their reads.
      if (waiting.push({ id, after, resolve, reject }) === 1) queueMicrotask(advance);
    });
}

/** Reads a batch of entries for each waiting call and settles its promise. Never rejects. */
async function settle(read: ReadBatches, requests: readonly Waiting[]): Promise<void> {
  try {
    const batches = await read(requests);
    for (const [at, { resolve, reject }] of requests.entries()) {
      const batch = batches.at(at);
      if (batch === undefined)
        reject(new TypeError("The database returned fewer batches than requested"));
      else if (batch instanceof Error) reject(batch);
      else resolve(batch);
    }
  } catch (error) {
    for (const { reject } of requests) reject(error);
  }
}
