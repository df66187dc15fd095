/** A value whose changes are reported to listeners. */
export class Signal<T> {
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Changes the value and calls the listeners, even if the value is the same. */
  set(value: T): void {
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  /** Calls `listener` with the current value and with each later value. */
  watch(listener: (value: T) => void): void {
    this.#listeners.add(listener);
    listener(this.#value);
  }
}
