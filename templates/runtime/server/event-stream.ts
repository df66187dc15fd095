import { A2AError } from "../protocol/error.js";
import { isPrepared, Refused, type PreparedEvents } from "./prepared.js";

/** What an {@link EventStream} does with what it gets. */
export interface EventStreamHooks<T> {
  /** Returns the event as it is sent; throws where it may not be. */
  readonly write: (event: unknown) => T;
  /**
   * Returns the error to send for whatever was thrown, and reports it where callers are not told. Called once for
   * each.
   */
  readonly fail: (thrown: unknown) => A2AError;
  /** Is called when nobody reads any longer. */
  readonly abort: () => void;
}

type Result<T> = IteratorResult<T | A2AError, undefined>;

/**
 * The responses of a streaming call, as they are sent; where something goes wrong, the error is the last one. Ends the
 * iterator of the service exactly once: when the reader has enough, or when something goes wrong. Never waits ahead, so
 * the service works as fast as the reader reads.
 */
export class EventStream<T> implements AsyncIterableIterator<T | A2AError> {
  readonly #source: AsyncIterator<unknown, unknown>;
  readonly #prepared: PreparedEvents | undefined;
  readonly #hooks: EventStreamHooks<T>;
  #first: Promise<Result<T>> | undefined;
  #done = false;

  constructor(source: AsyncIterator<unknown, unknown>, hooks: EventStreamHooks<T>) {
    this.#source = source;
    this.#prepared = isPrepared(source) ? source : undefined;
    this.#hooks = hooks;
  }

  /**
   * Waits for the first event, so that an error before it can be sent as a response of its own, but no longer than
   * `withinMs`; 0 is for ever. Returns that error, if there is one.
   */
  async start(withinMs = 0): Promise<A2AError | undefined> {
    const first = this.#pull();
    this.#first = first;
    const result = await (withinMs > 0 ? settledWithin(first, withinMs) : first);
    return result?.value instanceof A2AError ? result.value : undefined;
  }

  async next(): Promise<Result<T>> {
    const first = this.#first;
    if (first === undefined) return this.#done ? { done: true, value: undefined } : this.#pull();
    this.#first = undefined;
    return first;
  }

  /** Returns the next response if its event is there already, and `undefined` otherwise. */
  take(): T | A2AError | undefined {
    if (this.#done || this.#first !== undefined) return undefined;
    const event = this.#prepared?.takePrepared();
    return event === undefined ? undefined : this.#write(event);
  }

  async return(): Promise<Result<T>> {
    this.#first = undefined;
    if (!this.#done) {
      this.#hooks.abort();
      await this.#close();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Never rejects. */
  async #pull(): Promise<Result<T>> {
    let done: boolean | undefined;
    let value: unknown;
    try {
      ({ done = false, value } = await (this.#prepared?.nextPrepared() ?? this.#source.next()));
    } catch (thrown) {
      this.#done = true;
      return { done: false, value: this.#hooks.fail(thrown) };
    }
    if (this.#done || done) {
      this.#done = true;
      return { done: true, value: undefined };
    }
    return { done: false, value: this.#write(value) };
  }

  #write(event: unknown): T | A2AError {
    try {
      if (event instanceof Refused) throw event.reason;
      return this.#hooks.write(event);
    } catch (thrown) {
      void this.#close();
      return this.#hooks.fail(thrown);
    }
  }

  async #close(): Promise<void> {
    this.#done = true;
    try {
      await this.#source.return?.();
    } catch (thrown) {
      // Nobody waits for this one, but it may be worth a report.
      this.#hooks.fail(thrown);
    }
  }
}

/** Waits until `result` has settled, and returns it, or until the time is up. */
async function settledWithin<T>(result: Promise<T>, timeMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeMs, undefined);
  });
  try {
    return await Promise.race([result, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
