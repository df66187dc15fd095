import { waitUntil } from "../../runtime/base/pace.js";
import { Prepared } from "../../runtime/server/prepared.js";
import type { EventEntry, Watch } from "../store.js";
import { soon } from "../timer.js";

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

/** Planned pause in milliseconds for each subscriber. A write to a subscriber takes similar time. */
const pausePerReaderMs = 0.02;

/**
 * Ratio of the real to the planned duration above which a pause is extended: the writes to the
 * subscribers have taken all of its time.
 */
const usedUpRatio = 1.25;

/** Maximum extension of a pause, as a multiple of the planned pause. */
const maxExtension = 5;

/** Result of the next read of a watch. */
type Found = Awaited<ReturnType<Watch["next"]>>;

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
   * Returns the next entries of a subscriber's watch. If the task has many subscribers, they pause
   * together before they read. If the turn is fast, each of them then gets several events at once,
   * which takes much less time than separate writes.
   */
  next(watch: Watch): Promise<Found> {
    const ms = Math.floor(this.#all.size * pausePerReaderMs);
    if (ms === 0) return watch.next();
    if (this.#pause !== undefined) return this.#pause.then(() => watch.next());
    const found = this.#afterPause(watch, ms);
    const ended = (): void => {
      this.#pause = undefined;
    };
    this.#pause = found.then(ended, ended);
    return found.then((reading) => reading.found);
  }

  /**
   * Pauses, and begins to read a watch. If the writes to the subscribers have taken the whole pause
   * and the next event is already available, the turn is faster than the writes. In this case,
   * pauses again for the same time, so that half of the time remains for the turn.
   */
  async #afterPause(watch: Watch, plannedMs: number): Promise<{ readonly found: Promise<Found> }> {
    const start = performance.now();
    await waitUntil(start + plannedMs);
    const found = watch.next();
    const ms = performance.now() - start;
    if (ms > plannedMs * usedUpRatio && (await isAvailable(found)))
      await waitUntil(start + ms + Math.min(ms, plannedMs * maxExtension));
    // In an object, so that the pause does not last until the next event.
    return { found };
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

/** Returns whether a promise settles before the current work of the event loop is done. */
async function isAvailable(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  const pending = new Promise<boolean>((resolve) => {
    soon(() => {
      resolve(false);
    });
  });
  return Promise.race([settled, pending]);
}
