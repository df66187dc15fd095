import { quietly } from "../../memory/quietly.js";

/** Functions that are called when a webhook may have become due. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a function; returns how to remove it. */
  add(listener: () => void): () => void {
    // A wrapper of its own: who listens twice is called twice, and stops each by itself.
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  announce(): void {
    for (const listener of this.#listeners) quietly(listener);
  }
}
