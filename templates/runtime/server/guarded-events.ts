/** The longest time that a timer of the platform waits, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/** The longest time that a check may take: a stream whose check never settles would never end. */
const checkWithinMs = 10_000;

type Result = IteratorResult<unknown, unknown>;

/**
 * The events of a stream for as long as a check that is repeated passes. When it fails or takes too long, the next event is its error, also
 * while an event is awaited, and the events are ended.
 */
export class GuardedEvents implements AsyncIterator<unknown, unknown> {
  readonly #source: AsyncIterator<unknown, unknown>;
  readonly #check: () => Promise<void>;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isDone = false;
  #fail: ((error: unknown) => void) | undefined;

  constructor(source: AsyncIterator<unknown, unknown>, check: () => Promise<void>, everyMs: number) {
    this.#source = source;
    this.#check = check;
    this.#everyMs = Math.min(everyMs, longestMs);
    this.#wait();
  }

  async next(): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const failing = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    try {
      const result = await Promise.race([this.#source.next(), failing]);
      if (result.done === true) this.#stop();
      return result;
    } catch (thrown) {
      this.#stop();
      throw thrown;
    }
  }

  async return(): Promise<Result> {
    this.#stop();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#everyMs);
  }

  async #look(): Promise<void> {
    try {
      await this.#checkInTime();
      if (!this.#isDone) this.#wait();
    } catch (error) {
      if (this.#isDone) return;
      this.#stop();
      this.#failure = { error };
      this.#fail?.(error);
      // The caller has the error already, and what the service throws on its way out concerns nobody.
      await this.#source.return?.().catch(() => undefined);
    }
  }

  async #checkInTime(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = this.#timer = setTimeout(() => {
        reject(new DOMException("The caller could not be authenticated again in time", "TimeoutError"));
      }, checkWithinMs);
    });
    try {
      await Promise.race([this.#check(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #stop(): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
  }
}
