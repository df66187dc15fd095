import type { UnreadableTaskError } from "../store-errors.js";
import type { Scope, Stored } from "./tasks.js";

/** Identity of a process that acquires leases, and the duration of its leases. */
export interface Claim {
  /** Unique name of the process. */
  readonly holder: string;
  readonly ttlMs: number;
  /**
   * Called in this process when an item is posted to the inbox of a task whose lease was acquired
   * with this claim.
   */
  readonly onPost?: (scope: Scope, id: string) => void;
}

/** The exclusive right to append to the log of a task. */
export interface Lease {
  readonly id: string;
  readonly scope: Scope;
  readonly holder: string;
  /**
   * Fencing token: the number of leases that the task has had. With this number, the store rejects
   * writes by earlier lease holders.
   */
  readonly epoch: number;
}

/** A lease that was extended. */
export interface HeldLease extends Lease {
  /**
   * Start of the extension by the clock of `performance`, in milliseconds, if an earlier call than
   * the call that returns it has extended the lease.
   */
  readonly since?: number;
}

/** Result of a renewal. A lease that is in neither list is lost. */
export interface Renewed {
  /** Leases that were extended. */
  readonly held: readonly HeldLease[];
  /**
   * Leases whose part of the store failed or did not respond. They may be extended, held or lost.
   * They are also in `held` if an earlier call has extended them. Absent if the state of all leases
   * is known.
   */
  readonly unknown?: readonly Lease[];
  /** One error for each part of the store that failed. */
  readonly errors?: readonly Error[];
}

/** A task together with its lease. */
export interface Leased {
  readonly lease: Lease;
  readonly stored: Stored;
  /**
   * Start of the lease by the clock of `performance`, in milliseconds, if the lease began before
   * the call that returns it.
   */
  readonly since?: number;
}

/**
 * Rows that a store has claimed. Unreadable rows do not prevent the store from claiming other rows.
 */
export interface Claimed<Row> {
  readonly rows: readonly Row[];
  /**
   * One error for each unreadable row. Such a row has a later format version, is damaged, or
   * exceeds the maximum size of a read. The store marks the row, so that no later claim returns it.
   */
  readonly unreadable: readonly UnreadableTaskError[];
  /**
   * One error for each part of the store that failed, if other parts have responded. Its rows can
   * be claimed later.
   */
  readonly errors?: readonly Error[];
  /** Whether more rows may exist, because the claim stopped at its limit of rows or bytes. */
  readonly hasMore: boolean;
  /**
   * Milliseconds after which the process repeats its routine search. Absent if it keeps its
   * interval.
   */
  readonly againInMs?: number | undefined;
}
