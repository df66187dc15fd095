import { trim } from "./trim.js";

/** Does things once for each key, and remembers the last keys. */
export class Seen {
  readonly #capacity: number;
  readonly #done = new Map<string, Promise<void>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Does something unless that was done for the key, and settles as it does; who comes while it is being done waits for
   * the same. What failed is not done. Without a key it is done in any case.
   */
  async once(key: string | undefined, work: () => Promise<void>): Promise<void> {
    if (key === undefined) return work();
    const before = this.#done.get(key);
    this.#done.delete(key);
    const done = before ?? work();
    this.#done.set(key, done);
    trim(this.#done, this.#capacity);
    try {
      await done;
    } catch (error) {
      if (this.#done.get(key) === done) this.#done.delete(key);
      throw error;
    }
  }
}
