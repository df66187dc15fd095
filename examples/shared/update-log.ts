/**
 * All updates of one task. Every stream reads the log at its own pace, so all streams see the same
 * updates in the same order.
 */
export class UpdateLog<Update> {
  readonly #updates: Update[] = [];
  readonly #listeners = new Set<(update: Update) => void>();

  /** Calls `listener` for each further update. */
  listen(listener: (update: Update) => void): void {
    this.#listeners.add(listener);
  }

  publish(update: Update): void {
    this.#updates.push(update);
    for (const listener of this.#listeners) listener(update);
  }

  /**
   * Yields each further update, until `isLast` accepts an update or `signal` aborts. Leaving the
   * loop only ends this stream.
   */
  stream(isLast: (update: Update) => boolean, signal: AbortSignal): AsyncIterable<Update> {
    return this.#streamFrom(this.#updates.length, isLast, signal);
  }

  /** Waits for the next update, or until `signal` aborts. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#listeners.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#listeners.add(done);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  async *#streamFrom(
    start: number,
    isLast: (update: Update) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<Update, void> {
    let next = start;
    while (!signal.aborted) {
      const update = this.#updates[next];
      if (update === undefined) {
        await this.next(signal);
        continue;
      }
      next += 1;
      yield update;
      if (isLast(update)) return;
    }
  }
}
