import { ignoringErrors } from "../../memory/ignoring-errors.js";

/** Functions to call when a webhook may have become due. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener, and returns a function that removes it. */
  add(listener: () => void): () => void {
    // Wrapping the listener creates a new function, so a listener that is added twice is called twice, and each
    // addition is removed separately.
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
