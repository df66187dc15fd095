import { isObject } from "../../runtime/base/json.js";
import type { AppendOptions, Entry, Lease } from "../store.js";

/** A task that is not in the store yet. */
export interface Creation {
  /** Bytes that the owner's account has counted for the message that creates the task. */
  readonly admitted: number;
  /**
   * Writes the task together with its first entries. Returns the lease, unless `options` releases
   * it.
   */
  write(entries: readonly Entry[], options: AppendOptions): Promise<Lease | undefined>;
  /**
   * Called when the task is written, before any later write. `isReleased` is true if the write
   * released the lease.
   */
  written(entries: readonly Entry[], isReleased: boolean): void;
  /** Called with the error if the task cannot be written. */
  fail(error: unknown): void;
}

/** Returns whether a task is in the store and has a lease. */
export function isLease(lease: Lease | Creation | undefined): lease is Lease {
  return lease !== undefined && !("write" in lease);
}

/** Returns the lease that a store returned for a new task. */
export function leaseOf(given: unknown): Lease {
  if (isObject(given)) return given as unknown as Lease;
  throw new TypeError("`create` of the store must return a lease for a new task");
}
