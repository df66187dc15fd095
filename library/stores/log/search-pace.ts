/** Number of searches per second by all processes above which each process searches less often. */
const maxPerSecond = 10;

/** How many times longer the interval of a process becomes at most. */
const maxFactor = 4;

/**
 * Part of the interval within which a search by any process counts for all processes. It is shorter
 * than the interval, because timers are not exact.
 */
export const sharedPart = 0.7;

/**
 * Determines how often a process searches for expired leases. All processes of an agent search at
 * the same interval, so it grows with their number. No process has to know the others: the store
 * counts the searches.
 */
export class SearchPace {
  #factor = 1;
  #last: { readonly count: number; readonly at: number } | undefined;

  /**
   * Returns the milliseconds until the next search, or `undefined` if the process keeps its
   * interval.
   * @param count Number of routine searches by all processes so far.
   * @param everyMs Interval of the process; absent if this was not a routine search.
   */
  next(count: number, everyMs: number | undefined): number | undefined {
    if (everyMs === undefined) return undefined;
    const at = performance.now();
    const last = this.#last;
    this.#last = { count, at };
    // The count starts again if the store is deleted.
    if (last !== undefined && count > last.count && at > last.at) {
      const perSecond = ((count - last.count) * 1_000) / (at - last.at);
      this.#factor = Math.min(maxFactor, Math.max(1, (this.#factor * perSecond) / maxPerSecond));
    }
    if (this.#factor === 1) return undefined;
    // At random, so that processes that were started together do not search together.
    return everyMs * this.#factor * (0.75 + Math.random() / 2);
  }
}
