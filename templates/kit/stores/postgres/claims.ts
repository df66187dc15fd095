/** Maximum number of remembered calls while the database is unavailable. */
const manyCalls = 1_000;

/**
 * Ids of failed claims. A failed call may still have acquired leases for which no worker runs, because its response was
 * lost. The next claim passes these ids, so that it returns their tasks before the leases expire.
 */
export class Claims {
  /** Time until which the leases of each call may last. */
  readonly #lost = new Map<string, number>();

  /** Runs `call` with a unique id. The id of a failed call is kept until its lease could have expired. */
  async make<T>(ttlMs: number, call: (name: string) => Promise<T>): Promise<T> {
    const name = crypto.randomUUID();
    try {
      return await call(name);
    } catch (error) {
      this.#lost.set(name, performance.now() + ttlMs);
      for (const oldest of this.#lost.keys()) if (this.#lost.size > manyCalls) this.#lost.delete(oldest);
      throw error;
    }
  }

  /** Ids of calls whose responses were lost. */
  get lost(): readonly string[] {
    const now = performance.now();
    for (const [name, until] of this.#lost) if (until <= now) this.#lost.delete(name);
    return [...this.#lost.keys()];
  }
}
