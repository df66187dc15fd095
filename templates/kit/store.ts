import type { Models, TaskState } from "./model.js";
import type { Entry, EventEntry, InboxItem } from "./log/entries.js";
import type { UnreadableTaskError } from "./store-errors.js";

export {
  type CallFacts,
  type Entry,
  type EventEntry,
  inHistory,
  type InboxItem,
  type MessageEntry,
  type Resumptions,
  type TaskEvent,
  type TraceContext,
} from "./log/entries.js";
export {
  CursorError,
  isOfOtherCopy,
  LeaseLostError,
  markAsOwn,
  storeCopy,
  TaskExistsError,
  UnreadableTaskError,
} from "./store-errors.js";

/**
 * Stores tasks as logs. A task consists of a snapshot and the entries after it; its **generation** is the number of its
 * events, beginning with 1 for its creation. Only the lease holder appends to a task's log. All other processes post to
 * the task's inbox.
 *
 * Each method is one round trip to the database. All times are measured with the clock of the database. The store never
 * modifies values that it has returned. Neither the store nor the caller modifies arguments after the call.
 *
 * A method only rejects with a {@link LeaseLostError}, a {@link TaskExistsError} or a {@link CursorError} if its
 * description lists this error. It rejects with an {@link UnreadableTaskError} if the data of the task cannot be read.
 * If the database fails, it rejects with any other error, and the call may be repeated. Unreadable data only affects
 * one task: methods that return several tasks return the remaining tasks.
 */
export interface TaskStore<M extends Models = Models> {
  /**
   * Adds a task at generation 1, together with the entries that follow immediately. If a claim is passed, the caller
   * immediately holds the task's lease. Rejects with a {@link TaskExistsError} if the id already exists in any scope.
   */
  create(task: M["Task"], options: CreateOptions<M>): Promise<Lease | undefined>;

  /** Returns the current state of a task; `undefined` if the scope has no task with this id. */
  read(scope: Scope, id: string): Promise<Stored<M> | undefined>;

  /**
   * Posts an item to the inbox of a task, and acquires the task's lease if no process holds it. Posts nothing if the
   * task has ended or does not match `expected`. Returns `undefined` if the scope has no such task.
   */
  post(scope: Scope, id: string, item: InboxItem<M>, claim: Claim, expected?: Expected): Promise<Posted<M> | undefined>;

  /**
   * Appends entries whose generations follow the task's generation, either all or none, and returns the remaining items
   * of the inbox, beginning after the position `options.seen`. Entries that this lease has already appended are
   * ignored, so that a call whose response was lost can be repeated. Rejects with a {@link LeaseLostError} if the lease
   * has expired or another process holds it.
   */
  append(lease: Lease, entries: readonly Entry<M>[], options?: AppendOptions<M>): Promise<Appended<M>>;

  /**
   * Watches a task for entries after the event with generation `after`, including messages that turns take at that
   * generation. If `after` is 0, the task may be created later. If the task is deleted with {@link TaskStore.erase},
   * the watch ends immediately, or when the store next checks for changes by other processes.
   */
  watch(id: string, after: number): Watch<M>;

  /**
   * Returns the tasks of a scope, ordered by the time of their status, newest first; tasks with equal times are ordered
   * by descending id. Rejects with a {@link CursorError} if `list` did not create the cursor. If the tasks are large, a
   * page may contain fewer tasks than its limit.
   */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage<M>>;

  /**
   * Extends leases, and returns the leases that are still held. If `ttlMs` is 0, the leases expire immediately, so that
   * other processes can claim the tasks of a process that stops.
   */
  renew(leases: readonly Lease[], claim: Claim): Promise<readonly Lease[]>;

  /**
   * Claims tasks whose lease has expired without being released, and returns them: at most `limit` tasks, and fewer if
   * the tasks are large. The result may include tasks that this holder has claimed in an earlier call whose response
   * was lost, because no process works on these tasks.
   */
  claimExpired(claim: Claim, limit: number): Promise<Claimed<Leased<M>>>;

  /**
   * Adds a webhook, or replaces the webhook with the same id. Returns `"full"` if the task already has `max` other
   * webhooks, even if several webhooks are added concurrently. Returns `undefined` if the scope has no such task. If a
   * webhook is registered again and only `after` differs, the webhook keeps its undelivered events. This matters
   * because callers repeat calls whose response was lost, and send their webhook with each message.
   */
  putWebhook(scope: Scope, webhook: Webhook<M>, max?: number): Promise<"put" | "full" | undefined>;

  /** Returns the webhooks of a task, ordered by id; `undefined` if the scope has no such task. */
  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook<M>[] | undefined>;

  /** Removes a webhook if it exists. Returns whether the scope has the task. */
  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean>;

  /**
   * Claims webhooks that are due and have undelivered events. Returns at most `limit` webhooks with their first
   * undelivered events, and fewer webhooks if the events are large.
   */
  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease<M>>>;

  /**
   * Releases a webhook after an attempt: its events were delivered up to a generation, the delivery must be retried
   * later, or the webhook gets no more events.
   */
  delivered(lease: WebhookLease<M>, outcome: Delivery): Promise<void>;

  /** Deletes expired tasks and expired logs in a small batch, and returns the number of deleted tasks and logs. */
  deleteExpired(retention: Retention): Promise<number>;

  /**
   * Returns the resource usage of an owner's open tasks. The query must be fast even for owners with many tasks. Ended
   * tasks count towards `storedBytes` only, which is computed only if `withStored` is set.
   */
  usage(scope: Scope, withStored: boolean): Promise<Usage>;

  /**
   * Deletes at most `step` tasks with all their data, including open tasks, and returns the number of deleted tasks.
   * Repeat the call until it returns 0. If a worker appends to a deleted task, the call rejects with a {@link
   * LeaseLostError}.
   */
  erase(target: ErasureTarget, step: number): Promise<number>;

  /**
   * Calls a listener whenever a webhook may have become due. Not called if a webhook becomes due because the time for
   * its retry or the end of its lease has come. Returns a function that removes the listener.
   */
  onDue?(listener: () => void): () => void;
}

/** Tenant and owner of tasks. Tasks of other tenants or owners are invisible. */
export interface Scope {
  readonly tenant: string;
  readonly owner: string;
}

/** Current resource usage of one owner's tasks. */
export interface Usage {
  readonly openTasks: number;
  /** Bytes of the open tasks, as {@link Stored.bytes} counts them. */
  readonly openBytes: number;
  /** Webhooks of the open tasks. */
  readonly webhooks: number;
  /** Bytes of all tasks, including ended tasks; present if requested. */
  readonly storedBytes?: number;
}

/** Tasks to delete: all tasks of a tenant, all tasks of one of its owners, or a single task. */
export interface ErasureTarget {
  readonly tenant: string;
  readonly owner?: string;
  /** Requires `owner`. */
  readonly taskId?: string;
}

/** Identity of a process that acquires leases, and the duration of its leases. */
export interface Claim {
  /** Unique name of the process. */
  readonly holder: string;
  readonly ttlMs: number;
  /** Called in this process when an item is posted to the inbox of a task whose lease was acquired with this claim. */
  readonly onPost?: (id: string) => void;
}

/** The exclusive right to append to the log of a task. */
export interface Lease {
  readonly id: string;
  readonly scope: Scope;
  readonly holder: string;
  /**
   * Fencing token: the number of leases that the task has had. With this number, the store rejects writes by earlier
   * lease holders.
   */
  readonly epoch: number;
}

/** A task in its stored state. */
export interface Stored<M extends Models = Models> {
  /** The task after all entries. Messages in the inbox are part of its history, as if they had been taken. */
  readonly task: M["Task"];
  readonly generation: number;
  readonly inbox: readonly InboxItem<M>[];
  /**
   * The item that began the current or the last turn. After the task has ended, no turn follows, so a store may keep
   * only the item's id.
   */
  readonly turn: InboxItem<M>;
  /** State that a turn saved for the next turn, or for the process that resumes this turn. */
  readonly checkpoint: unknown;
  /**
   * Approximate size of the task in the store: the bytes, as JSON, of its snapshot, the entries after the snapshot, its
   * inbox, the item that began its turn, and its checkpoint. A claim that is limited in bytes counts all of these.
   */
  readonly bytes: number;
}

/** A task without the members that only its worker needs. */
export type StoredTask<M extends Models = Models> = Omit<Stored<M>, "turn" | "checkpoint">;

/** A task in a list. */
export type ListedTask<M extends Models = Models> = Pick<Stored<M>, "task" | "generation">;

/** A task together with its lease. */
export interface Leased<M extends Models = Models> {
  readonly lease: Lease;
  readonly stored: Stored<M>;
}

/** Conditions that a task must meet for an item to be posted. */
export interface Expected {
  readonly generation?: number;
  readonly contextId?: string;
  /** Maximum number of messages in the inbox, including this message. */
  readonly maxInbox?: number;
  /** Maximum number of bytes of JSON in the inbox, including this item. A cancel request always fits. */
  readonly maxInboxBytes?: number;
  /** Maximum size of the task in bytes, including this item, as {@link Stored.bytes} counts them. */
  readonly maxBytes?: number;
}

/** Result of posting an item. */
export type Posted<M extends Models = Models> =
  /** The item is in the inbox, and the caller now holds the lease. */
  | ({ readonly outcome: "leased" } & Leased<M>)
  /** The item is in the inbox, and the lease holder will find it. */
  | { readonly outcome: "posted"; readonly stored: StoredTask<M> }
  | Refused;

/** The item was not posted: the task has ended, or does not match `expected`. The task itself is not returned. */
export interface Refused {
  readonly outcome: "ended" | "otherGeneration" | "otherContext" | "full" | "tooLarge";
  readonly state: TaskState;
  readonly generation: number;
}

/** Options for a new task. */
export interface CreateOptions<M extends Models = Models> {
  readonly scope: Scope;
  /** The item that begins the first turn. Its message is already in the task's history. */
  readonly turn: InboxItem<M>;
  /**
   * The lease to acquire. If it is absent, no process works on the task, so the entries must end or interrupt the task.
   */
  readonly claim?: Claim | undefined;
  readonly entries?: readonly Entry<M>[];
  readonly checkpoint?: unknown;
  readonly webhooks?: readonly Webhook<M>[];
}

/** Options for an append. */
export interface AppendOptions<M extends Models = Models> {
  /** Ids of the items to remove from the inbox. */
  readonly taken?: readonly string[];
  /** The item that begins a turn with this append. */
  readonly turn?: InboxItem<M>;
  /** Replaces the saved state; if absent, the saved state is kept. */
  readonly checkpoint?: unknown;
  /**
   * Whether to release the lease, unless the inbox has items that were not taken. Checking and releasing in one step
   * ensures that an item posted between two turns is not lost.
   */
  readonly release?: boolean;
  /**
   * Milliseconds from now until the lease expires, unless the lease is released. A lease holder that writes regularly
   * therefore keeps its task, even if its renewals fail. A store may leave a lease unchanged while at least two thirds
   * of this time are left.
   */
  readonly ttlMs?: number;
  /** The position that an earlier append with this lease returned. Items up to this position are not returned again. */
  readonly seen?: number | undefined;
}

/** Result of an append. */
export interface Appended<M extends Models = Models> {
  /** Items that were not taken: the items after `seen`, or all items. */
  readonly inbox: readonly InboxItem<M>[];
  /**
   * Position up to which items of the inbox have been returned, to pass to the next append. Absent if the store returns
   * all items each time.
   */
  readonly seen?: number;
  /** Size of the task after the append, as {@link Stored.bytes} counts it. */
  readonly bytes: number;
  /** Whether the lease was released. */
  readonly released: boolean;
}

/** Rows that a store has claimed. Unreadable rows do not prevent the store from claiming other rows. */
export interface Claimed<Row> {
  readonly rows: readonly Row[];
  /**
   * One error for each unreadable row. Such a row has a later format version, is damaged, or exceeds the maximum size
   * of a read. The store marks the row, so that no later claim returns it.
   */
  readonly unreadable: readonly UnreadableTaskError[];
  /** Whether more rows may exist, because the claim stopped at its limit of rows or bytes. */
  readonly hasMore: boolean;
}

/** A subscription to the entries of a task. */
export interface Watch<M extends Models = Models> {
  /**
   * Waits for entries and returns them in order, without repetitions. If the next entries have been deleted, returns
   * the current task instead, and continues after it. After `close`, returns only `undefined`.
   */
  next(): Promise<readonly Entry<M>[] | Reset<M> | undefined>;
  /** Ends the watch immediately, even while `next` waits. */
  close(): void;
}

/** Replaces entries that are no longer available to a watch. */
export interface Reset<M extends Models = Models> {
  readonly reset: Stored<M>;
}

/** Filters and limits for a list of tasks. */
export interface TaskQuery {
  readonly contextId?: string | undefined;
  readonly state?: string | undefined;
  /** Time in milliseconds since 1970. Only tasks whose status is from this time or later are returned. */
  readonly since?: number | undefined;
  /** The `next` of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** Whether the tasks must include their artifacts. */
  readonly artifacts?: boolean | undefined;
}

/** A page of a list of tasks. */
export interface TaskPage<M extends Models = Models> {
  /** Tasks of the page. Artifacts are absent if the query does not request them and the store can skip reading them. */
  readonly tasks: readonly ListedTask<M>[];
  /** One error for each unreadable task of the page. */
  readonly unreadable?: readonly UnreadableTaskError[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
  /** Number of tasks on all pages. A store may stop counting at a maximum. */
  readonly total: number;
  /** Approximate number of bytes that the store read for the page. If it is absent, the caller measures the tasks. */
  readonly bytes?: number;
}

/** A webhook of a task. */
export interface Webhook<M extends Models = Models> {
  readonly taskId: string;
  readonly id: string;
  readonly config: M["TaskPushNotificationConfig"];
  /** Protocol version of the caller that registered the webhook. The posts to the webhook also have this version. */
  readonly version: string;
  /** Generation of the task when the webhook was registered. Only later events are delivered. */
  readonly after: number;
}

/** The right to deliver the events of a webhook, with the events to deliver. */
export interface WebhookLease<M extends Models = Models> {
  readonly webhook: Webhook<M>;
  readonly scope: Scope;
  readonly holder: string;
  readonly epoch: number;
  /** Events after the last delivered event. If too many events follow, only the first of them. */
  readonly events: readonly EventEntry<M>[];
  /** Number of failed attempts to deliver the first event. */
  readonly failures: number;
}

/** Outcome of a delivery. */
export type Delivery =
  | { readonly upTo: number }
  /** Events up to a generation were delivered; the next event must be retried. */
  | { readonly upTo: number; readonly retryInMs: number }
  /** The webhook gets no more events, and is never due again. */
  | { readonly givenUp: true };

/** Rules for how long ended tasks are kept. */
export interface Retention {
  readonly maxAgeMs?: number;
  readonly maxCount?: number;
  /**
   * Milliseconds for which the entries of an ended task are kept. They are kept longer while webhooks still need them,
   * or if the store keeps them longer. A watch that starts after they were deleted gets the current task instead.
   */
  readonly maxLogAgeMs?: number;
  /** Maximum number of tasks and logs to delete. */
  readonly step?: number;
}
