import type { Task } from "../model.js";
import type { Entry, InboxItem } from "./entries.js";
import type { Claim, Leased } from "./leases.js";
import type { Scope, StoredTask } from "./tasks.js";
import type { Webhook } from "./webhooks.js";

/** Options for a new task. */
export interface CreateOptions {
  readonly scope: Scope;
  /** The item that begins the first turn. Its message is already in the task's history. */
  readonly turn: InboxItem;
  /**
   * The lease to acquire. If it is absent, no process works on the task, so the entries must end or
   * interrupt the task, or its turn must be asleep.
   */
  readonly claim?: Claim | undefined;
  readonly entries?: readonly Entry[];
  /**
   * The task with the entries, if the entries end or interrupt it. A store may use this task
   * instead of applying the entries.
   */
  readonly result?: Task | undefined;
  /** Total size of the events in `entries` (see {@link AppendOptions.eventBytes}). */
  readonly eventBytes?: number | undefined;
  /** The saved state, which is also kept if the entries end the task. */
  readonly checkpoint?: unknown;
  /** When to wake the task, if no claim is passed (see {@link AppendOptions.wakeInMs}). */
  readonly wakeInMs?: number | undefined;
  readonly webhooks?: readonly Webhook[];
}

/** Options for an append. */
export interface AppendOptions {
  /** Ids of the items to remove from the inbox. */
  readonly taken?: readonly string[];
  /** The item that begins a turn with this append. */
  readonly turn?: InboxItem;
  /**
   * Replaces the saved state; if absent, the saved state is kept. If the entries end the task, this
   * state is kept, and an earlier state is removed. After the end, it is ignored.
   */
  readonly checkpoint?: unknown;
  /**
   * Whether to release the lease, unless the inbox has items that were not taken. Checking and
   * releasing in one step ensures that an item posted between two turns is not lost.
   */
  readonly release?: boolean;
  /**
   * Milliseconds from now until `claimExpired` returns the task, if this append releases the lease.
   * Until then, no process holds the lease, so a post acquires it and drops this time. If it is
   * absent, only a post wakes the task.
   */
  readonly wakeInMs?: number | undefined;
  /**
   * Milliseconds from now until the lease expires, unless the lease is released. A lease holder
   * that writes regularly therefore keeps its task, even if its renewals fail. A store may leave a
   * lease unchanged while at least two thirds of this time are left.
   */
  readonly ttlMs?: number;
  /**
   * The position that an earlier append with this lease returned. Items up to this position are not
   * returned again.
   */
  readonly seen?: number | undefined;
  /**
   * Total size of the events among the entries in bytes, as `sizeOfEvent` computes it. A store may
   * use this number instead of measuring the events.
   */
  readonly eventBytes?: number | undefined;
}

/** Result of an append. */
export interface Appended {
  /** Items that were not taken: the items after `seen`, or all items. */
  readonly inbox: readonly InboxItem[];
  /**
   * Position up to which inbox items have been returned. Pass it to the next append. Absent if the
   * store returns all items each time.
   */
  readonly seen?: number;
  /** Size of the task after the append, as `Stored.bytes` counts it. */
  readonly bytes: number;
  /** Whether the lease was released. */
  readonly released: boolean;
}

/**
 * Time in milliseconds for which a store remembers the ids of posted items, also after a turn has
 * taken them. It is longer than database clients repeat a call whose response was lost.
 */
export const repeatWithinMs: number = 10 * 60 * 1_000;

/** Conditions that a task must meet for an item to be posted. */
export interface Expected {
  readonly generation?: number;
  readonly contextId?: string;
  /** Maximum number of items in the inbox, including this item. A cancel request always fits. */
  readonly maxInbox?: number;
  /**
   * Maximum number of bytes of JSON in the inbox, including this item. A cancel request always
   * fits.
   */
  readonly maxInboxBytes?: number;
  /** Maximum size of the task in bytes, including this item, as `Stored.bytes` counts them. */
  readonly maxBytes?: number;
}

/** Result of posting an item. */
export type Posted =
  /**
   * The item is in the inbox, and the caller now holds the lease. `isNew` is whether this call has
   * added the item: an item of an earlier call may be older than the last status.
   */
  | ({ readonly outcome: "leased"; readonly isNew: boolean } & Leased)
  /**
   * The item is in the inbox, and the lease holder will find it. If the post was repeated, it may
   * have been taken.
   */
  | { readonly outcome: "posted"; readonly stored: StoredTask }
  | Refused;

/**
 * The item was not posted: the task has ended, or does not match `expected`. The task itself is not
 * returned.
 */
export interface Refused {
  readonly outcome: "ended" | "otherGeneration" | "otherContext" | "full" | "tooLarge";
  readonly state: string;
  readonly generation: number;
}
