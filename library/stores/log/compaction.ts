import { isInterrupted, isTerminal } from "../../kit/states.js";
import type { Entry } from "../../kit/store.js";
import { lastStatus } from "./rows.js";

/**
 * Minimum number of events after a snapshot for a compaction: when the task ends or pauses, and
 * when the task is read.
 */
const minEventsAtRest = 16;
const minEventsToRead = 256;

/**
 * Size of a task above which its snapshot is rarely compacted, because reading the entries does not
 * take longer than reading a new snapshot.
 */
export const largeBytes: number = 256 * 1024;
const minEventsIfLarge = 1_024;

/**
 * Size of the entries above which artifacts have most likely been replaced, so that a new snapshot
 * would be smaller than the entries.
 */
export const hugeBytes: number = 64 * 2 ** 20;

/**
 * Returns whether to compact a task.
 * @param events Number of events after the snapshot.
 * @param isAtRest Whether the task has just ended or paused; otherwise, it was just read.
 */
export function needsCompaction(events: number, bytes: number, isAtRest: boolean): boolean {
  if (bytes > hugeBytes) return events >= minEventsAtRest;
  if (bytes > largeBytes) return events >= minEventsIfLarge;
  return events >= (isAtRest ? minEventsAtRest : minEventsToRead);
}

/** Returns whether the write that interrupts or ends a task also compacts the task. */
export function isCompactedAtRest(events: number, bytes: number): boolean {
  return bytes <= largeBytes || needsCompaction(events, bytes, true);
}

/**
 * Returns whether to keep the log of a task although retention would remove the log. A large log
 * without compaction contains most of the task, so removing it would require writing almost the
 * whole task again as a snapshot.
 */
export function keepsLog(bytes: number, isFolded: boolean): boolean {
  return !isFolded && bytes > largeBytes;
}

/**
 * Compacts snapshots in the background. Failures are ignored: the next read or append retries the
 * compaction.
 */
export class Compaction {
  readonly #compact: (id: string) => Promise<void>;
  readonly #running = new Set<string>();

  constructor(compact: (id: string) => Promise<void>) {
    this.#compact = compact;
  }

  /**
   * Compacts a task that was read, if its snapshot is old.
   * @param grown Number of events after the snapshot.
   */
  read(id: string, grown: number, bytes: number): void {
    if (needsCompaction(grown, bytes, false)) this.#begin(id);
  }

  /**
   * Compacts a task after an append, if its snapshot is old.
   * @param grown Number of events after the snapshot.
   */
  appended(id: string, grown: number, bytes: number, entries: readonly Entry[]): void {
    if (
      grown >= minEventsAtRest &&
      (bytes > hugeBytes || isAtRest(entries)) &&
      needsCompaction(grown, bytes, true)
    )
      this.#begin(id);
  }

  #begin(id: string): void {
    if (this.#running.has(id)) return;
    this.#running.add(id);
    this.#compact(id)
      .catch(() => undefined)
      .finally(() => this.#running.delete(id));
  }
}

function isAtRest(entries: readonly Entry[]): boolean {
  const state = lastStatus(entries)?.status.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}
