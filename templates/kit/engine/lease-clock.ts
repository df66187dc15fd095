import { LeaseLostError } from "../store.js";

/**
 * The time for which this process may work on a task, by `performance.now()`. A lease lasts at least as long in the store,
 * so no other process begins to work on the task before it is over here.
 */
export class LeaseClock {
  #until = Infinity;

  /** The time at which the lease is over unless it is extended; `Infinity` while there is none. */
  get until(): number {
    return this.#until;
  }

  get isOver(): boolean {
    // The clock is read only while there is a lease: this is asked before each step of a turn.
    return this.#until !== Infinity && performance.now() >= this.#until;
  }

  /**
   * Notes that the store has granted or extended the lease by a call that began at `since`. The request may have taken
   * effect as soon as it was sent, so a lease is counted from then on, and not from the response.
   */
  hold(since: number, ttlMs: number): void {
    const until = since + ttlMs;
    this.#until = this.#until === Infinity ? until : Math.max(this.#until, until);
  }

  /** Notes that there is no lease any more. */
  clear(): void {
    this.#until = Infinity;
  }
}

/** Returns the error for work on a task whose lease was not renewed in time. */
export function leaseExpired(taskId: string): LeaseLostError {
  return new LeaseLostError(`The lease of task ${taskId} has expired: another process may work on it`);
}
