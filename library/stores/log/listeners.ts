import { ignoringErrors } from "../../kit/memory/ignoring-errors.js";

/** Functions that are called when a webhook may have become due. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener, and returns a function that removes it. */
  add(listener: () => void): () => void {
    // Wrap the listener to create a new function. A listener that is added twice is then called
    // twice, and each addition can be removed separately.
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  announce(): void {
    for (const listener of this.#listeners) ignoringErrors(listener);
  }
}
