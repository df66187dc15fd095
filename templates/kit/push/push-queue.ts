type Reader<T> = (result: IteratorResult<T, undefined>) => void;

/** Events that wait for a reader, a bounded number. Each is handed over when the reader takes it. */
export class PushQueue<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #events: { readonly event: T; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  readonly #readers = new Set<Reader<T>>();
  #isClosed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Settles when a reader has taken the event. Rejects with a {@link QueueError} where too many wait, or after the end. */
  add(event: T): Promise<void> {
    if (this.#isClosed) return Promise.reject(new QueueError("The receiver is closed"));
    const reader = this.#readers.values().next();
    if (reader.done !== true) {
      this.#readers.delete(reader.value);
      reader.value({ done: false, value: event });
      return Promise.resolve();
    }
    if (this.#events.length >= this.#capacity) return Promise.reject(new QueueError("Too many events wait"));
    return new Promise((resolve, reject) => {
      this.#events.push({ event, resolve, reject });
    });
  }

  /** Ends the queue: readers get nothing more, and what waits is not handed over. */
  close(): void {
    this.#isClosed = true;
    this.#end([...this.#readers]);
    for (const { reject } of this.#events.splice(0)) reject(new QueueError("The receiver is closed"));
  }

  /** A reader that leaves its loop can come back for what follows. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    const own = new Set<Reader<T>>();
    return {
      next: () => this.#next(own),
      return: () => {
        this.#end([...own]);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #next(own: Set<Reader<T>>): Promise<IteratorResult<T, undefined>> {
    const first = this.#events.shift();
    if (first !== undefined) {
      first.resolve();
      return Promise.resolve({ done: false, value: first.event });
    }
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      const reader: Reader<T> = (result) => {
        own.delete(reader);
        resolve(result);
      };
      own.add(reader);
      this.#readers.add(reader);
    });
  }

  #end(readers: readonly Reader<T>[]): void {
    for (const reader of readers) {
      this.#readers.delete(reader);
      reader({ done: true, value: undefined });
    }
  }
}

/** Says that an event could not be handed over, and may come again. */
export class QueueError extends Error {
  override readonly name = "QueueError";
}
