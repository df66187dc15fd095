// Part of a2a-codegen 0.1.0. Do not edit.

/** What an {@link EventStream} does with what it gets. */
export interface EventStreamHooks {
  /** Gives the event as it may be sent; throws where it may not. */
  readonly check: (event: unknown) => unknown;
  /** Gives the error to throw for whatever was thrown. */
  readonly fail: (thrown: unknown) => unknown;
  /** Tells the service that nobody listens any more. */
  readonly abort: () => void;
}

type Result = IteratorResult<unknown, undefined>;

/**
 * The responses of a streaming call, already checked. Ends the iterator of the service exactly once: when the reader has
 * enough, or when something goes wrong. Never reads ahead, so the service works as fast as the reader reads.
 */
export class EventStream implements AsyncIterableIterator<unknown> {
  readonly #source: AsyncIterator<unknown, unknown>;
  readonly #hooks: EventStreamHooks;
  #first: Promise<Result> | undefined;
  #done = false;

  constructor(source: AsyncIterator<unknown, unknown>, hooks: EventStreamHooks) {
    this.#source = source;
    this.#hooks = hooks;
  }

  /**
   * Waits for the first event, so that an error before it can be answered as such, but no longer than `withinMs`; 0 is
   * for ever. Throws what `next` throws.
   */
  async start(withinMs = 0): Promise<void> {
    const first = this.#pull();
    this.#first = first;
    if (withinMs > 0) await settledWithin(first, withinMs);
    else await first;
  }

  async next(): Promise<Result> {
    const first = this.#first;
    if (first === undefined) return this.#done ? { done: true, value: undefined } : this.#pull();
    this.#first = undefined;
    return first;
  }

  async return(): Promise<Result> {
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

  async #pull(): Promise<Result> {
    let done: boolean | undefined;
    let value: unknown;
    try {
      ({ done = false, value } = await this.#source.next());
    } catch (thrown) {
      this.#done = true;
      throw this.#hooks.fail(thrown);
    }
    if (this.#done || done) {
      this.#done = true;
      return { done: true, value: undefined };
    }
    try {
      return { done: false, value: this.#hooks.check(value) };
    } catch (thrown) {
      void this.#close();
      throw this.#hooks.fail(thrown);
    }
  }

  async #close(): Promise<void> {
    this.#done = true;
    try {
      await this.#source.return?.();
    } catch (thrown) {
      this.#hooks.fail(thrown);
    }
  }
}

/** Waits until `result` has settled, and throws its error, or until the time is up; later errors are left to others. */
async function settledWithin(result: Promise<unknown>, timeMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeUp = new Promise((resolve) => {
    timer = setTimeout(resolve, timeMs);
  });
  try {
    await Promise.race([result, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
