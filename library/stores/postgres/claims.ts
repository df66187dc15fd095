/** Maximum number of call ids that are kept while the database is unavailable. */
const maxCalls = 1_000;

/**
 * Ids of failed claims. If only the response was lost, a failed call may have acquired leases
 * although no worker runs. The next claim passes these ids to the database, and therefore returns
 * the tasks before their leases expire.
 */
export class Claims {
  /** For each failed call, the time by which its leases will have expired. */
  readonly #lost = new Map<string, number>();

  /**
   * Runs `call` with a unique id. The id of a failed call is kept until its leases must have
   * expired.
   */
  async make<T>(ttlMs: number, call: (callId: string) => Promise<T>): Promise<T> {
    const callId = crypto.randomUUID();
    try {
      return await call(callId);
    } catch (error) {
      this.#lost.set(callId, performance.now() + ttlMs);
      for (const oldest of this.#lost.keys())
        if (this.#lost.size > maxCalls) this.#lost.delete(oldest);
      throw error;
    }
  }

  /** Ids of calls whose responses may be lost. */
  get lost(): readonly string[] {
    const now = performance.now();
    for (const [callId, until] of this.#lost) if (until <= now) this.#lost.delete(callId);
    return [...this.#lost.keys()];
  }
}
