import { isInterrupted, isTerminal } from "../../states.js";
import type { Entry } from "../../store.js";
import { lastStatus } from "./rows.js";

/** From how many events on a snapshot is brought up to date: when a task comes to rest, and by the next reader. */
const manyAtRest = 16;
const manyToRead = 256;

/**
 * Size of a task above which its snapshot is brought up to date rarely: its entries are about as large as what is written
 * for them, and are read as fast.
 */
export const largeBytes: number = 256 * 1024;
const manyIfLarge = 1_024;

/** Size above which artifacts were replaced, most likely: then the entries are larger than what is written for them. */
const hugeBytes = 64 * 2 ** 20;

/**
 * Whether to bring the snapshot of a task up to date that is so many events old: when the task comes to rest or after it
 * was read.
 */
export function isWorthFolding(events: number, bytes: number, isAtRest: boolean): boolean {
  if (bytes <= largeBytes) return events >= (isAtRest ? manyAtRest : manyToRead);
  return events >= (bytes > hugeBytes ? manyAtRest : manyIfLarge);
}

/** Whether to bring the snapshot of a task up to date with the write by which it comes to rest. */
export function isFoldedAtRest(events: number, bytes: number): boolean {
  return bytes <= largeBytes || isWorthFolding(events, bytes, true);
}

/** Whether the log of a task stays when it could go: it is most of the task, which would be written anew without it. */
export function keepsLog(bytes: number, isFolded: boolean): boolean {
  return !isFolded && bytes > largeBytes;
}

/** Brings snapshots up to date in the background. A failure is ignored, as the next read or append tries again. */
export class Folding {
  readonly #fold: (id: string) => Promise<void>;
  readonly #running = new Set<string>();

  constructor(fold: (id: string) => Promise<void>) {
    this.#fold = fold;
  }

  /** A task of a size was read whose snapshot is so many events old. */
  read(id: string, grown: number, bytes: number): void {
    if (isWorthFolding(grown, bytes, false)) this.#begin(id);
  }

  /** Entries were appended to a task of a size whose snapshot is so many events old. */
  appended(id: string, grown: number, bytes: number, entries: readonly Entry[]): void {
    if (grown >= manyAtRest && (bytes > hugeBytes || isAtRest(entries)) && isWorthFolding(grown, bytes, true))
      this.#begin(id);
  }

  #begin(id: string): void {
    if (this.#running.has(id)) return;
    this.#running.add(id);
    this.#fold(id)
      .catch(() => undefined)
      .finally(() => this.#running.delete(id));
  }
}

function isAtRest(entries: readonly Entry[]): boolean {
  const state = lastStatus(entries)?.status.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}
