/** Maximum delay of `setTimeout`, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/**
 * Time-out of a check, in milliseconds. Without the time-out, a check that never settles would keep
 * the stream open forever.
 */
const checkWithinMs = 10_000;

type Result = IteratorResult<unknown, unknown>;

/**
 * Yields the events of a stream for as long as a repeated check passes. If the check fails or times
 * out, the iteration throws the error, even while an event is awaited, and ends the source.
 */
export class GuardedEvents implements AsyncIterator<unknown, unknown> {
  readonly #source: AsyncIterator<unknown, unknown>;
  readonly #check: () => Promise<void>;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isDone = false;
  #fail: ((error: unknown) => void) | undefined;

  constructor(
    source: AsyncIterator<unknown, unknown>,
    check: () => Promise<void>,
    everyMs: number,
  ) {
    this.#source = source;
    this.#check = check;
    this.#everyMs = Math.min(everyMs, longestMs);
    this.#wait();
  }

  async next(): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure.error;
    // A failed check must end the stream immediately, because the source may be silent for hours.
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
      // Schedule the next check after this check, so that slow checks never overlap.
      if (!this.#isDone) this.#wait();
    } catch (error) {
      if (this.#isDone) return;
      this.#stop();
      this.#failure = { error };
      this.#fail?.(error);
      // The caller has already received the error of the check, so ignore errors that the service
      // throws when it is ended.
      await this.#source.return?.().catch(() => undefined);
    }
  }

  async #checkInTime(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = this.#timer = setTimeout(() => {
        reject(new DOMException("The caller was not authenticated again in time", "TimeoutError"));
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
