/** How many calls are remembered at most, where an engine is away for long. */
const manyCalls = 1_000;

/** The calls that have claimed something for all that is known: nobody works on it, as their responses were lost. */
export class Claims {
  /** Until when what they have claimed may be held. */
  readonly #lost = new Map<string, number>();

  /** Calls a function with a name for its call; one that fails is remembered for as long as its lease may last. */
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

  /** The names of calls whose responses were lost. */
  get lost(): readonly string[] {
    const now = performance.now();
    for (const [name, until] of this.#lost) if (until <= now) this.#lost.delete(name);
    return [...this.#lost.keys()];
  }
}
