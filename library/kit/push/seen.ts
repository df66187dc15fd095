import { trim } from "./trim.js";

/** Runs a function once for each key, and remembers the latest keys. */
export class Seen {
  readonly #capacity: number;
  readonly #done = new Map<string, Promise<void>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Runs a function, unless it has already succeeded for the key, and settles with its result.
   * Concurrent calls for one key wait for the same run. Failures are not remembered. Without a key,
   * the function always runs.
   */
  async once(key: string | undefined, work: () => Promise<void>): Promise<void> {
    if (key === undefined) return work();
    const before = this.#done.get(key);
    // Delete the key and set it again, so that it becomes the latest key and is removed last.
    this.#done.delete(key);
    const done = before ?? work();
    this.#done.set(key, done);
    trim(this.#done, this.#capacity);
    try {
      await done;
    } catch (error) {
      // A newer run may have replaced the failed run. The newer run must stay.
      if (this.#done.get(key) === done) this.#done.delete(key);
      throw error;
    }
  }
}
