import { isInterrupted, isTerminal } from "../../states.js";
import type { Entry } from "../../store.js";
import { lastStatus } from "./rows.js";

/** From how many events on a snapshot is brought up to date: when a task comes to rest, and by who reads it. */
const manyAtRest = 16;
const manyToRead = 256;

/** Brings snapshots up to date. Nobody waits for it, and who comes next tries again. */
export class Folding {
  readonly #fold: (id: string) => Promise<void>;
  readonly #running = new Set<string>();

  constructor(fold: (id: string) => Promise<void>) {
    this.#fold = fold;
  }

  /** A task was read whose snapshot is so many events old. */
  read(id: string, grown: number): void {
    if (grown >= manyToRead) this.#begin(id);
  }

  /** Entries were appended to a task whose snapshot is so many events old. */
  appended(id: string, grown: number, entries: readonly Entry[]): void {
    if (grown >= manyAtRest && isAtRest(entries)) this.#begin(id);
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
