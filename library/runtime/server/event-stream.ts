import { A2AError } from "../protocol/error.js";
import { isPrepared, Refused, type PreparedEvents } from "./prepared.js";

/** Callbacks of an {@link EventStream}. */
export interface EventStreamHooks<T> {
  /** Returns the event in the form that is sent. Throws if the event is invalid. */
  readonly write: (event: unknown) => T;
  /**
   * Returns the error to send for a thrown value, and reports internal errors. Called once for each
   * thrown value.
   */
  readonly fail: (thrown: unknown) => A2AError;
  /** Called when the caller disconnects. */
  readonly abort: () => void;
}

type Result<T> = IteratorResult<T | A2AError, undefined>;

/**
 * The responses of a streaming call in the form that is sent. If an error occurs, it is the last
 * element. The service's iterator is ended exactly once: when the caller disconnects, or after an
 * error. The next event is only requested when the caller is ready to receive it, so the service
 * works at the caller's pace.
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
   * Waits for the first event for at most `withinMs` milliseconds, or without a limit if `withinMs`
   * is 0. If the stream fails before its first event, returns the error, so that the error can be
   * sent as an ordinary response.
   */
  async start(withinMs = 0): Promise<A2AError | undefined> {
    const first = this.#pull();
    this.#first = first;
    const result = await (withinMs > 0 ? settledWithin(first, withinMs) : first);
    return result?.value instanceof A2AError ? result.value : undefined;
  }

  next(): Promise<Result<T>> {
    const first = this.#first;
    if (first === undefined)
      return this.#done ? Promise.resolve({ done: true, value: undefined }) : this.#pull();
    this.#first = undefined;
    return first;
  }

  /**
   * Returns the next response if its event is already available. Otherwise, returns `undefined`.
   */
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

  /** Requests the next event and formats it. Never rejects. */
  async #pull(): Promise<Result<T>> {
    let done: boolean | undefined;
    let value: unknown;
    try {
      ({ done = false, value } = await (this.#prepared?.nextPrepared() ?? this.#source.next()));
    } catch (thrown) {
      this.#done = true;
      return { done: false, value: this.#hooks.fail(thrown) };
    }
    // If the caller has disconnected while the event was awaited, drop the event.
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
      // Return the error immediately, so that a service that ends slowly does not delay it.
      return this.#hooks.fail(thrown);
    }
  }

  async #close(): Promise<void> {
    this.#done = true;
    try {
      await this.#source.return?.();
    } catch (thrown) {
      // No caller waits for this error, so only report it.
      this.#hooks.fail(thrown);
    }
  }
}

/** Waits for `result` for at most `timeMs`. Returns `undefined` after this time. */
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
