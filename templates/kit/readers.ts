import { Prepared } from "../runtime/server/prepared.js";
import type { EventEntry } from "./store.js";

/** Whoever reads the events of a task. */
export interface Reader {
  /** Ends it with an error, after what has come already. */
  fail(error: unknown): void;
}

/** Those in this process who read the events of one task, and what they share. */
export class Readers {
  readonly #all = new Set<Reader>();
  readonly #prepared = new WeakMap<EventEntry, Prepared>();
  /** Whether there ever were several. Those who have all events leave, and read the last ones after that. */
  #areSeveral = false;

  get size(): number {
    return this.#all.size;
  }

  add(reader: Reader): void {
    this.#all.add(reader);
    this.#areSeveral ||= this.#all.size > 1;
  }

  remove(reader: Reader): void {
    this.#all.delete(reader);
  }

  /** Ends all of them. */
  fail(error: unknown): void {
    for (const reader of [...this.#all]) reader.fail(error);
  }

  /** Returns the event of an entry, with what is written of it where several get it. */
  prepared(entry: EventEntry): unknown {
    if (!this.#areSeveral) return entry.event;
    let prepared = this.#prepared.get(entry);
    if (prepared === undefined) this.#prepared.set(entry, (prepared = new Prepared(entry.event)));
    return prepared;
  }
}
