import type { JsonObject } from "../runtime/base/json.js";
import type { Models, TaskState } from "./model.js";

/**
 * Keeps tasks as logs. A task is a snapshot and the entries since; its **generation** counts its events, beginning with
 * 1 for its creation. Only who holds the lease of a task appends to it. Everybody else posts to its inbox.
 *
 * Every method is one round trip to an engine. Times are the engine's. What a method returns belongs to the caller of
 * it and is never changed by the store; what it is given is not changed by anybody.
 *
 * A method rejects with a {@link LeaseLostError}, a {@link TaskExistsError} or a {@link CursorError} where it says so,
 * with an {@link UnreadableTaskError} if the data of the task cannot be read, and with any other error for a fault of the
 * engine, after which the call may be repeated. Data that cannot be read concerns one task: methods that return several
 * tasks return the other ones.
 */
export interface TaskStore<M extends Models = Models> {
  /**
   * Adds a task at generation 1, with the entries that follow at once. With a claim, the caller holds the lease of it
   * from the beginning. Rejects with a {@link TaskExistsError} where the id is taken, in whatever scope.
   */
  create(task: M["Task"], options: CreateOptions<M>): Promise<Lease | undefined>;

  /** Returns a task as it is now; `undefined` where the scope has none of this id. */
  read(scope: Scope, id: string): Promise<Stored<M> | undefined>;

  /**
   * Posts to the inbox of a task. Where nobody holds its lease, the caller does from then on. Nothing is posted to a
   * task that has ended or is not as expected. `undefined` where the scope has no such task.
   */
  post(scope: Scope, id: string, item: InboxItem<M>, claim: Claim, expected?: Expected): Promise<Posted<M> | undefined>;

  /**
   * Appends entries whose generations follow that of the task, all of them or none, and returns the items of the inbox
   * that were not taken out, from the position on that `options.seen` names. Entries that the lease has appended before are ignored, so that a call can be repeated whose
   * response was lost. Rejects with a {@link LeaseLostError} where the lease has expired or is somebody else's by now.
   */
  append(lease: Lease, entries: readonly Entry<M>[], options?: AppendOptions<M>): Promise<Appended<M>>;

  /**
   * Watches the entries that follow the event of generation `after`, also messages that are taken at that generation.
   * With 0, the task may be created later. The watch of a task that is deleted with {@link TaskStore.erase} ends, at once
   * or when the store looks at what other processes do.
   */
  watch(id: string, after: number): Watch<M>;

  /**
   * Returns tasks of a scope, the one whose status is newest first, and of equal ones the one with the greater id.
   * Rejects with a {@link CursorError} where the cursor is none that a list has returned. A page ends before its limit if
   * its tasks are large.
   */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage<M>>;

  /**
   * Extends leases, and returns those that are still held. With a `ttlMs` of 0 these expire at once, so that others take
   * the tasks over: their process ends.
   */
  renew(leases: readonly Lease[], claim: Claim): Promise<readonly Lease[]>;

  /**
   * Claims tasks whose lease has expired without a release, at most `limit` and fewer if they are large, and returns
   * them. Those may be among them that this holder has claimed with a call whose response was lost, as nobody works on
   * them.
   */
  expired(claim: Claim, limit: number): Promise<Claimed<Leased<M>>>;

  /**
   * Adds a webhook, or replaces the one with its id. A webhook that would be the `max + 1`th of the task is refused as
   * `"full"`, however many are added at the same time. `undefined` if the scope has no such task. A webhook that is
   * registered again and differs in `after` alone keeps what it has not delivered: callers repeat a call whose response
   * was lost, and send their webhook with each message.
   */
  putWebhook(scope: Scope, webhook: Webhook<M>, max?: number): Promise<"put" | "full" | undefined>;

  /** Returns the webhooks of a task in the order of their ids; `undefined` where the scope has no such task. */
  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook<M>[] | undefined>;

  /** Removes a webhook, if it is there. Returns whether the scope has the task. */
  dropWebhook(scope: Scope, taskId: string, id: string): Promise<boolean>;

  /**
   * Claims webhooks that have something to deliver and whose time has come, at most `limit` and fewer if their events are
   * large, and returns them with the first events that they have not delivered.
   */
  dueWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease<M>>>;

  /** Releases a webhook: it has delivered up to a generation, has to be tried again later, or is given up. */
  delivered(lease: WebhookLease<M>, outcome: Delivery): Promise<void>;

  /**
   * Removes tasks that ended long ago or are too many, and the logs of those that are to be kept without, in a small step;
   * returns how many tasks and logs it has removed.
   */
  forget(retention: Retention): Promise<number>;

  /**
   * Returns what the open tasks of an owner take, in one look that stays cheap for owners with many tasks. Ended tasks
   * count for `storedBytes` only, which is computed if `withStored` is set.
   */
  usage(scope: Scope, withStored: boolean): Promise<Usage>;

  /**
   * Deletes tasks with everything that belongs to them, open tasks included, at most `step` of them; returns how many
   * were deleted, so that a caller repeats the call until it returns 0. A worker of a deleted task gets a
   * {@link LeaseLostError} from its next append.
   */
  erase(target: ErasureTarget, step: number): Promise<number>;

  /**
   * Calls a function whenever a webhook may have become due, but for those that wait for another attempt or whose lease
   * expires: these become due with time alone. Returns how to stop that.
   */
  onDue?(listener: () => void): () => void;
}

/** Whose tasks: those of another tenant or owner are not there. */
export interface Scope {
  readonly tenant: string;
  readonly owner: string;
}

/** What the tasks of one owner take at present. */
export interface Usage {
  readonly openTasks: number;
  /** Bytes of the open tasks, as {@link Stored.bytes} counts them. */
  readonly openBytes: number;
  /** Webhooks of the open tasks. */
  readonly webhooks: number;
  /** Bytes of all tasks, ended ones included; present if it was asked for. */
  readonly storedBytes?: number;
}

/** Which tasks to delete: all of a tenant, all of one of its owners, or a single task. */
export interface ErasureTarget {
  readonly tenant: string;
  readonly owner?: string;
  /** Requires `owner`. */
  readonly taskId?: string;
}

/** An event of a task, as streams send it. */
export type TaskEvent<M extends Models = Models> =
  { readonly statusUpdate: M["TaskStatusUpdateEvent"] } | { readonly artifactUpdate: M["TaskArtifactUpdateEvent"] };

/** What a log consists of. */
export type Entry<M extends Models = Models> = EventEntry<M> | MessageEntry<M>;

/** An event, and the generation of the task after it. */
export interface EventEntry<M extends Models = Models> {
  readonly generation: number;
  readonly event: TaskEvent<M>;
}

/** A message that was taken out of the inbox and became part of the history, which is no event. */
export interface MessageEntry<M extends Models = Models> {
  /** That of the event before it. */
  readonly generation: number;
  readonly message: M["Message"];
  /** The id of the item that it was in the inbox. */
  readonly item: string;
  /** Whether the task ended before any turn saw the message. */
  readonly unread?: boolean;
}

/** What somebody without the lease has for whoever holds it: a message, or a request to cancel. */
export interface InboxItem<M extends Models = Models> {
  /** Unique. */
  readonly id: string;
  readonly message?: M["Message"];
  /** What the turn that takes the message gets to know of its call. */
  readonly call?: CallFacts;
  readonly cancel?: JsonObject;
  /** Of what has begun a turn: whether the turn goes on although its task waits for the caller. */
  readonly goesOn?: boolean;
  /** Of what has begun a turn that was resumed. */
  readonly resumed?: Resumptions;
}

/** How often a turn was resumed. */
export interface Resumptions {
  /** That of the task when it was resumed last. */
  readonly generation: number;
  /** How often since the task had this generation. */
  readonly count: number;
}

/** What a turn knows of the call that its message came with. A store outside of the process keeps it as JSON. */
export interface CallFacts {
  /** What the option `remember` has kept of the user. */
  readonly user: unknown;
  readonly extensions: readonly string[];
  readonly acceptedOutputModes: readonly string[];
  readonly metadata: JsonObject | undefined;
  /** The version of the protocol that the caller speaks; absent in tasks that an earlier output has stored. */
  readonly version?: string;
}

/** What a process offers to work on a task. */
export interface Claim {
  /** Names the process. */
  readonly holder: string;
  readonly ttlMs: number;
  /** Is called, in this process, when something is posted to the inbox of a task while the claim holds its lease. */
  readonly onPost?: (id: string) => void;
}

/** The right to append to a task. */
export interface Lease {
  readonly id: string;
  readonly scope: Scope;
  readonly holder: string;
  /** Counts the leases of the task, so that the holder of an earlier one is refused. */
  readonly epoch: number;
}

/** A task as it is in the store. */
export interface Stored<M extends Models = Models> {
  /** With all entries; the messages in the inbox are part of its history, as if they had been taken. */
  readonly task: M["Task"];
  readonly generation: number;
  readonly inbox: readonly InboxItem<M>[];
  /**
   * What began the turn that is at work, or the last one. No turn follows the end of a task, so a store may keep no more
   * of it than its id then.
   */
  readonly turn: InboxItem<M>;
  /** What a turn has kept for the next one, or for whoever resumes it. */
  readonly checkpoint: unknown;
  /**
   * Size of the task in the store: about the bytes of its snapshot, of its entries since, of its inbox, of what began its
   * turn and of its checkpoint as JSON. A claim that stops by bytes has room for all of these.
   */
  readonly bytes: number;
}

/** A task without what only its worker needs. */
export type StoredTask<M extends Models = Models> = Omit<Stored<M>, "turn" | "checkpoint">;

/** A task in a list. */
export type ListedTask<M extends Models = Models> = Pick<Stored<M>, "task" | "generation">;

/** A task that one may work on. */
export interface Leased<M extends Models = Models> {
  readonly lease: Lease;
  readonly stored: Stored<M>;
}

/** What a task has to be like for something to be posted to it. */
export interface Expected {
  readonly generation?: number;
  readonly contextId?: string;
  /** How many messages its inbox may hold with this one. */
  readonly maxInbox?: number;
  /** How many bytes of JSON its inbox may hold with this item; a cancel request always fits. */
  readonly maxInboxBytes?: number;
  /** How many bytes the task may have with this item, as {@link Stored.bytes} counts them. */
  readonly maxBytes?: number;
}

/** What became of an item that was posted. */
export type Posted<M extends Models = Models> =
  /** It is in the inbox, and nobody works on the task but the caller from now on. */
  | ({ readonly outcome: "leased" } & Leased<M>)
  /** It is in the inbox, and whoever works on the task will find it. */
  | { readonly outcome: "posted"; readonly stored: StoredTask<M> }
  | Refused;

/** An item is not in the inbox: the task has ended, or is not as expected. The task is not read for that. */
export interface Refused {
  readonly outcome: "ended" | "otherGeneration" | "otherContext" | "full" | "tooLarge";
  readonly state: TaskState;
  readonly generation: number;
}

export interface CreateOptions<M extends Models = Models> {
  readonly scope: Scope;
  /** What begins the first turn. Its message is in the task's history already. */
  readonly turn: InboxItem<M>;
  /** Without it nobody works on the task, which the entries have to have ended or interrupted. */
  readonly claim?: Claim | undefined;
  readonly entries?: readonly Entry<M>[];
  readonly checkpoint?: unknown;
  readonly webhooks?: readonly Webhook<M>[];
}

export interface AppendOptions<M extends Models = Models> {
  /** Items that are no longer in the inbox. */
  readonly taken?: readonly string[];
  /** What begins the turn from here on. */
  readonly turn?: InboxItem<M>;
  /** Replaces what is kept; absent, that stays. */
  readonly checkpoint?: unknown;
  /**
   * Gives the lease back, unless there is something in the inbox that was not taken: nothing is lost between two
   * turns.
   */
  readonly release?: boolean;
  /**
   * How long the lease lasts from here on, unless it is given back: who is busy writing keeps its task, even where no
   * renewal gets through. A store may leave a lease as it is that has two thirds of this left.
   */
  readonly ttlMs?: number;
  /** The position that an earlier append of the lease returned: items up to there are not returned again. */
  readonly seen?: number | undefined;
}

/** What an append found. */
export interface Appended<M extends Models = Models> {
  /** Items that were not taken: those after the position that the append was given, or all of them. */
  readonly inbox: readonly InboxItem<M>[];
  /**
   * Position in the inbox up to which its items have been returned, for the next append. Absent if the store returns all
   * items each time.
   */
  readonly seen?: number;
  /** Size of the task after the append, as {@link Stored.bytes} counts it. */
  readonly bytes: number;
  /** Whether the lease was given back. */
  readonly released: boolean;
}

/** Rows that a store has claimed. Rows that cannot be read do not keep the other ones from being claimed. */
export interface Claimed<Row> {
  readonly rows: readonly Row[];
  /**
   * One error for each row that was found and cannot be read: it is of a later version, damaged, or larger than a read
   * may be. Such a row is parked: no later claim returns it.
   */
  readonly unreadable: readonly UnreadableTaskError[];
  /** Whether there may be more: the claim stopped at its limit of rows or of bytes. */
  readonly hasMore: boolean;
}

/** The entries of a task as they come. */
export interface Watch<M extends Models = Models> {
  /**
   * Waits for entries and returns them in order, each once. Where those have gone that come next, it returns the task
   * as it is instead, and goes on from there. `undefined` after `close`, and for good.
   */
  next(): Promise<readonly Entry<M>[] | Reset<M> | undefined>;
  /** Ends the watch at once, also while `next` waits. */
  close(): void;
}

/** Takes the place of entries that a watch can no longer have. */
export interface Reset<M extends Models = Models> {
  readonly reset: Stored<M>;
}

/** Which tasks to list. */
export interface TaskQuery {
  readonly contextId?: string | undefined;
  readonly state?: string | undefined;
  /** Only those whose status has this time or a later one: milliseconds since 1970. */
  readonly since?: number | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** Whether the tasks have to have their artifacts. */
  readonly artifacts?: boolean | undefined;
}

export interface TaskPage<M extends Models = Models> {
  /** Without their artifacts where the store can do without reading them, and the query does not want them. */
  readonly tasks: readonly ListedTask<M>[];
  /** One error for each task that belongs on the page and cannot be read. */
  readonly unreadable?: readonly UnreadableTaskError[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
  /** How many tasks there are on all pages, as far as the store counts. */
  readonly total: number;
  /** About how many bytes the store has read for the page. The caller measures the tasks if this is absent. */
  readonly bytes?: number;
}

/** A webhook of a task. */
export interface Webhook<M extends Models = Models> {
  readonly taskId: string;
  readonly id: string;
  readonly config: M["TaskPushNotificationConfig"];
  /** The version of the protocol that its caller speaks, and so what is posted to it. */
  readonly version: string;
  /** The generation of the task when it was registered: what comes after is delivered. */
  readonly after: number;
}

/** The right to deliver for a webhook, and what there is. */
export interface WebhookLease<M extends Models = Models> {
  readonly webhook: Webhook<M>;
  readonly scope: Scope;
  readonly holder: string;
  readonly epoch: number;
  /** The events that follow the last one that was delivered; some of them, where they are many. */
  readonly events: readonly EventEntry<M>[];
  /** How often the first of them was tried in vain. */
  readonly failures: number;
}

/** How a delivery went. */
export type Delivery =
  | { readonly upTo: number }
  /** Events up to a generation were delivered, and the next one has to be tried again. */
  | { readonly upTo: number; readonly retryInMs: number }
  /** The webhook gets nothing any more, and is not due again. */
  | { readonly givenUp: true };

/** How long tasks are kept that have ended. */
export interface Retention {
  readonly maxAgeMs?: number;
  readonly maxCount?: number;
  /**
   * How long the entries of such a task are kept, where its webhooks have no use for them; a store may keep them longer.
   * A watch that comes later gets the task as it is.
   */
  readonly maxLogAgeMs?: number;
  /** How many are removed at most. */
  readonly step?: number;
}

/** Thrown to a process that has lost the lease of a task: what it wanted to append is not in the log. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** Thrown for a new task whose id is taken. */
export class TaskExistsError extends Error {
  override readonly name = "TaskExistsError";
}

/** Thrown for a task that the store has and cannot read: its data is damaged, too large, or of a later version. */
export class UnreadableTaskError extends Error {
  override readonly name = "UnreadableTaskError";
  readonly taskId: string;

  constructor(taskId: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.taskId = taskId;
  }
}

/** Thrown for a cursor that is none: a caller has made it up. */
export class CursorError extends Error {
  override readonly name = "CursorError";
}
