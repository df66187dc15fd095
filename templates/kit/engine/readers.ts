import { Prepared } from "../../runtime/server/prepared.js";
import type { EventEntry } from "../store.js";

/** Whoever reads the events of a task. */
export interface Reader {
  /** Ends it with an error, after what has come already. */
  fail(error: unknown): void;
  /** Ends it after the event of a generation, if it waits for a response. */
  respond(generation: number): void;
}

/** What each reader adds to a pause, in milliseconds: twice as long as a write takes, so that half of the time is left. */
const pausePerReaderMs = 0.02;

/** Those in this process who read the events of one task, and what they share. */
export class Readers {
  readonly #all = new Set<Reader>();
  readonly #prepared = new WeakMap<EventEntry, Prepared>();
  /** Whether there ever were several. Those who have all events leave, and read the last ones after that. */
  #areSeveral = false;
  #pause: Promise<void> | undefined;

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

  /** Ends those that wait for a response, after the event of a generation. */
  respond(generation: number): void {
    for (const reader of [...this.#all]) reader.respond(generation);
  }

  /** Ends all of them. */
  fail(error: unknown): void {
    for (const reader of [...this.#all]) reader.fail(error);
  }

  /**
   * Returns what readers wait for before they ask for more: where they are many, each gets several events of a fast
   * turn at once, which costs far less than to write each of them. The first one after a silence comes at once.
   */
  pause(): Promise<void> | undefined {
    const ms = Math.floor(this.#all.size * pausePerReaderMs);
    if (ms === 0) return undefined;
    return (this.#pause ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#pause = undefined;
        resolve();
      }, ms);
    }));
  }

  /** Returns the event of an entry, with what is written of it where several get it. */
  prepared(entry: EventEntry): unknown {
    if (!this.#areSeveral) return entry.event;
    let prepared = this.#prepared.get(entry);
    if (prepared === undefined) this.#prepared.set(entry, (prepared = new Prepared(entry.event)));
    return prepared;
  }
}
