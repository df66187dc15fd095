import { ignoringErrors } from "../../kit/memory/ignoring-errors.js";

/**
 * Functions that are called when a webhook may have become due. They return whether they will claim
 * webhooks.
 */
export class Listeners {
  readonly #listeners = new Set<() => boolean>();

  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener, and returns a function that removes it. */
  add(listener: () => boolean): () => void {
    // Wrap the listener to create a new function. A listener that is added twice is then called
    // twice, and each addition can be removed separately.
    const own = (): boolean => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls the listeners, and returns whether one of them will claim webhooks. */
  announce(): boolean {
    let isTaken = false;
    for (const listener of this.#listeners)
      ignoringErrors(() => {
        const result = listener();
        isTaken ||= result;
        return result;
      });
    return isTaken;
  }
}
