import { applyEntries } from "../log/fold.js";
import type { Entry, EventEntry } from "../store.js";
import type { Task } from "../model.js";

const noEntries: readonly Entry[] = [];

/**
 * The log of one task: a snapshot, and the entries after it. Reading the task compacts the
 * snapshot. Compacted entries stay in the log until they are dropped, because watches and webhooks
 * may still read them. Positions count all entries, including dropped entries.
 */
export class TaskLog {
  #snapshot: Task;
  #entries: Entry[] | undefined;
  /** Number of entries that the snapshot includes. */
  #folded = 0;
  #dropped = 0;
  /** Generation of the event after which the log still contains all entries. */
  #floor = 1;

  constructor(task: Task) {
    this.#snapshot = task;
  }

  /** Number of entries in the log. */
  get length(): number {
    return this.#entries?.length ?? 0;
  }

  /** Position after the last entry. */
  get end(): number {
    return this.#dropped + this.length;
  }

  /** Context id of the task, which never changes. */
  get contextId(): string | undefined {
    return this.#snapshot.contextId;
  }

  /** Adds entries. `result` is the task with these entries, if it is known. */
  append(entries: readonly Entry[], result?: Task): void {
    if (entries.length === 0) return;
    if (this.#entries === undefined) this.#entries = [...entries];
    else for (const entry of entries) this.#entries.push(entry);
    if (result === undefined) return;
    this.#snapshot = result;
    this.#folded = this.#entries.length;
  }

  /** Returns the task with all entries applied. */
  task(): Task {
    const { length } = this;
    if (this.#folded < length) {
      this.#snapshot = applyEntries(this.#snapshot, this.#from(this.#folded));
      this.#folded = length;
    }
    return this.#snapshot;
  }

  /**
   * Returns the position of the first entry after the event with a given generation, or `undefined`
   * if entries after that event were dropped.
   */
  positionAfter(generation: number): number | undefined {
    if (generation < this.#floor) return undefined;
    const entries = this.#entries ?? noEntries;
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries.at(middle);
      if (entry !== undefined && follows(entry, generation)) high = middle;
      else low = middle + 1;
    }
    return this.#dropped + low;
  }

  /**
   * Returns all entries from a position on, or `undefined` if some of these entries were dropped.
   */
  from(position: number): readonly Entry[] | undefined {
    return position < this.#dropped ? undefined : this.#from(position - this.#dropped);
  }

  /** Returns at most `limit` events after a generation. Dropped events are skipped. */
  eventsAfter(generation: number, limit: number): EventEntry[] {
    const events: EventEntry[] = [];
    const start = this.positionAfter(generation) ?? this.#dropped;
    for (let at = start - this.#dropped; at < this.length && events.length < limit; at += 1) {
      const entry = this.#entries?.[at];
      if (entry !== undefined && "event" in entry) events.push(entry);
    }
    return events;
  }

  /** Drops the entries before a position. */
  drop(position: number): void {
    const count = position - this.#dropped;
    const last = this.#entries?.[count - 1];
    if (last === undefined) return;
    // Entries may be dropped only after the snapshot includes them, so compact first.
    if (count > this.#folded) this.task();
    this.#floor = "event" in last ? last.generation : last.generation + 1;
    this.#entries = count === this.length ? undefined : this.#entries?.slice(count);
    this.#folded -= count;
    this.#dropped = position;
  }

  #from(index: number): readonly Entry[] {
    if (index >= this.length) return noEntries;
    return this.#entries?.slice(index) ?? noEntries;
  }
}

/** Returns whether an entry comes after the event with a given generation. */
function follows(entry: Entry, generation: number): boolean {
  return entry.generation > generation || (entry.generation === generation && !("event" in entry));
}
