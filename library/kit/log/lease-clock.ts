import { LeaseLostError } from "../store.js";

/**
 * The local expiry time of a lease, measured with `performance.now()`. By this clock, a lease never
 * expires later than in the store, so this process stops before another process can claim the task.
 */
export class LeaseClock {
  #until = Infinity;

  /** Time at which the lease expires unless it is extended; `Infinity` without a lease. */
  get until(): number {
    return this.#until;
  }

  get isOver(): boolean {
    // Only read the clock if a lease exists, because this check runs before each step of a turn.
    return this.#until !== Infinity && performance.now() >= this.#until;
  }

  /**
   * Records that the store granted or extended the lease in a call that began at `since`. The store
   * may have granted the lease as soon as the request was sent, so the lease is measured from
   * `since`, not from the response.
   */
  hold(since: number, ttlMs: number): void {
    const until = since + ttlMs;
    this.#until = this.#until === Infinity ? until : Math.max(this.#until, until);
  }

  /** Records that the worker has no lease. */
  clear(): void {
    this.#until = Infinity;
  }
}

/** Returns the error for work on a task whose lease was not renewed in time. */
export function leaseExpired(taskId: string): LeaseLostError {
  return new LeaseLostError(
    `The lease of task ${taskId} has expired: another process may work on it`,
  );
}
