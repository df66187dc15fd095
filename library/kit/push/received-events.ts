type Reader<T> = (result: IteratorResult<T, undefined>) => void;

/** A bounded queue of events that wait until a loop reads them. */
export class PushQueue<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #events: {
    readonly event: T;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  readonly #readers = new Set<Reader<T>>();
  #isClosed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Adds an event. Resolves when a loop has taken the event.
   * @throws A {@link QueueError} if too many events are waiting, or after `close`.
   */
  add(event: T): Promise<void> {
    if (this.#isClosed) return Promise.reject(new QueueError("The receiver is closed"));
    const reader = this.#readers.values().next();
    if (reader.done !== true) {
      this.#readers.delete(reader.value);
      reader.value({ done: false, value: event });
      return Promise.resolve();
    }
    if (this.#events.length >= this.#capacity)
      return Promise.reject(new QueueError("Too many events are waiting"));
    return new Promise((resolve, reject) => {
      this.#events.push({ event, resolve, reject });
    });
  }

  /** Closes the queue. Iterators end, and waiting events are not delivered. */
  close(): void {
    this.#isClosed = true;
    this.#end([...this.#readers]);
    for (const { reject } of this.#events.splice(0))
      reject(new QueueError("The receiver is closed"));
  }

  /**
   * Returns an iterator. Closing the iterator does not close the queue, so that a program can leave
   * its loop and continue later.
   */
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

/** Error for an event that could not be delivered. The agent may send the event again. */
export class QueueError extends Error {
  override readonly name = "QueueError";
}
