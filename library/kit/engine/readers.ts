import { Prepared } from "../../runtime/server/prepared.js";
import type { EventEntry } from "../store.js";

/** A subscriber to the events of a task. */
export interface Reader {
  /** Ends the subscription with an error, after the events that have already arrived. */
  fail(error: unknown): void;
  /**
   * Ends the subscription after the event with a given generation, if its caller waits for a
   * response.
   */
  respond(generation: number): void;
}

/**
 * Pause in milliseconds for each subscriber: twice the time that a write to a subscriber takes, so
 * that half of the time remains for other work.
 */
const pausePerReaderMs = 0.02;

/** The subscribers to one task in this process, and the data that they share. */
export class Readers {
  readonly #all = new Set<Reader>();
  readonly #prepared = new WeakMap<EventEntry, Prepared>();
  /**
   * Whether the task ever had several subscribers. The current number is not sufficient: a
   * subscriber is removed as soon as all events have arrived, before it has read the last events.
   */
  #wereSeveral = false;
  #pause: Promise<void> | undefined;

  get size(): number {
    return this.#all.size;
  }

  add(reader: Reader): void {
    this.#all.add(reader);
    this.#wereSeveral ||= this.#all.size > 1;
  }

  remove(reader: Reader): void {
    this.#all.delete(reader);
  }

  /**
   * Ends the subscriptions whose callers wait for a response, after the event with a given
   * generation.
   */
  respond(generation: number): void {
    for (const reader of [...this.#all]) reader.respond(generation);
  }

  /** Ends all subscriptions with an error. */
  fail(error: unknown): void {
    for (const reader of [...this.#all]) reader.fail(error);
  }

  /**
   * Returns the pause before subscribers request more events. If a fast turn has many subscribers,
   * each of them then gets several events at once, which takes much less time than separate writes.
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

  /**
   * Returns the event in an entry. If the task has several subscribers, the event caches its
   * encoding.
   */
  prepared(entry: EventEntry): unknown {
    if (!this.#wereSeveral) return entry.event;
    let prepared = this.#prepared.get(entry);
    if (prepared === undefined) this.#prepared.set(entry, (prepared = new Prepared(entry.event)));
    return prepared;
  }
}
