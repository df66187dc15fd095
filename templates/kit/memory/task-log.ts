import { applyEntries } from "../log/fold.js";
import type { Entry, EventEntry } from "../store.js";
import type { Task } from "../model.js";

const noEntries: readonly Entry[] = [];

/**
 * The log of one task: a snapshot, and the entries since. The snapshot is brought up to date when somebody reads it.
 * Entries that it has stay until they are dropped, for those who read entries. Positions count all entries that there
 * ever were.
 */
export class TaskLog {
  #snapshot: Task;
  #entries: Entry[] | undefined;
  /** How many of the entries the snapshot has. */
  #folded = 0;
  #dropped = 0;
  /** Entries that follow the event of an earlier generation have gone. */
  #floor = 1;

  constructor(task: Task) {
    this.#snapshot = task;
  }

  /** How many entries are kept. */
  get length(): number {
    return this.#entries?.length ?? 0;
  }

  /** The position after the last entry. */
  get end(): number {
    return this.#dropped + this.length;
  }

  /** What never changes in the task. */
  get contextId(): string | undefined {
    return this.#snapshot.contextId;
  }

  append(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    if (this.#entries === undefined) this.#entries = [...entries];
    else for (const entry of entries) this.#entries.push(entry);
  }

  /** The task with all entries. */
  task(): Task {
    const { length } = this;
    if (this.#folded < length) {
      this.#snapshot = applyEntries(this.#snapshot, this.#from(this.#folded));
      this.#folded = length;
    }
    return this.#snapshot;
  }

  /** Returns where the entries begin that follow the event of a generation; `undefined` where some of them have gone. */
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

  /** Returns the entries from a position on; `undefined` where some of them have gone. */
  from(position: number): readonly Entry[] | undefined {
    return position < this.#dropped ? undefined : this.#from(position - this.#dropped);
  }

  /** Returns the first events after a generation that are still there, and `limit` at most. */
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

/** Whether an entry comes after the event of a generation. */
function follows(entry: Entry, generation: number): boolean {
  return entry.generation > generation || (entry.generation === generation && !("event" in entry));
}
