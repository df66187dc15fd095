import type { Task } from "./model.js";
import type { Entry, InboxItem } from "./store/entries.js";
import type { AppendOptions, Appended, CreateOptions, Expected, Posted } from "./store/changes.js";
import type { Claim, Claimed, Lease, Leased, Renewed } from "./store/leases.js";
import type { TaskPage, TaskQuery } from "./store/lists.js";
import type { ErasureTarget, Retention, Usage } from "./store/retention.js";
import type { Scope, Stored, Watch } from "./store/tasks.js";
import type { Delivery, Webhook, WebhookLease } from "./store/webhooks.js";

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
  type Waking,
} from "./store/entries.js";
export {
  CursorError,
  isOfOtherCopy,
  LeaseLostError,
  markAsOwn,
  storeCopy,
  TaskExistsError,
  UnreadableTaskError,
} from "./store-errors.js";
export {
  type AppendOptions,
  type Appended,
  type CreateOptions,
  type Expected,
  type Posted,
  type Refused,
  repeatWithinMs,
} from "./store/changes.js";
export type { Claim, Claimed, HeldLease, Lease, Leased, Renewed } from "./store/leases.js";
export type { ListedTask, TaskPage, TaskQuery } from "./store/lists.js";
export type { ErasureTarget, Retention, Usage } from "./store/retention.js";
export type { Reset, Scope, Stored, StoredTask, Watch } from "./store/tasks.js";
export type { Delivery, Webhook, WebhookLease } from "./store/webhooks.js";

/**
 * Stores tasks as logs. A task consists of a snapshot and the entries after it; its **generation**
 * is the number of its events, beginning with 1 for its creation. Only the lease holder appends to
 * a task's log. All other processes post to the task's inbox.
 *
 * Each method is one round trip to the database. All times are measured with the clock of the
 * database. The store never modifies values that it has returned. Neither the store nor the caller
 * modifies arguments after the call.
 *
 * A method only rejects with a {@link LeaseLostError}, a {@link TaskExistsError} or a
 * {@link CursorError} if its description lists this error. It rejects with an
 * {@link UnreadableTaskError} if the data of the task cannot be read. If the database fails, it
 * rejects with some other error, and the call may be repeated. Unreadable data only affects one
 * task: methods that return several tasks return the remaining tasks.
 */
export interface TaskStore {
  /**
   * Adds a task at generation 1, together with its first entries. If a claim is passed, also
   * acquires the task's lease and returns it. Rejects with a {@link TaskExistsError} if the scope
   * already has a task with this id. A store may also reject ids of other scopes, and does so if it
   * is a single database. Callers therefore choose ids that are unique, and must not assume that
   * they are.
   */
  create(task: Task, options: CreateOptions): Promise<Lease | undefined>;

  /** Returns the current state of a task; `undefined` if the scope has no task with this id. */
  read(scope: Scope, id: string): Promise<Stored | undefined>;

  /**
   * Posts an item to the inbox of a task, and acquires the task's lease if no process holds it.
   * Posts nothing if the task has ended or does not match `expected`. Returns `undefined` if the
   * scope has no such task.
   *
   * An item is added once, because clients repeat a call whose response was lost. If the item was
   * posted within {@link repeatWithinMs} and a turn has taken it, the outcome is `"posted"`, even
   * if the task has ended since then. Only the repeated cancel request of an ended task is refused.
   */
  post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected?: Expected,
  ): Promise<Posted | undefined>;

  /**
   * Appends entries whose generations follow the task's generation, either all or none, and returns
   * the inbox items after the position `options.seen`. Entries that this lease has already appended
   * are ignored, so that a call whose response was lost can be repeated. Rejects with a
   * {@link LeaseLostError} if the lease has expired or another process holds it.
   */
  append(lease: Lease, entries: readonly Entry[], options?: AppendOptions): Promise<Appended>;

  /**
   * Watches a task for entries after the event with generation `after`, including messages that
   * turns take at that generation. If `after` is 0, the task may be created later. If the task is
   * deleted with {@link TaskStore.erase}, the watch ends immediately, or when the store next checks
   * for changes by other processes.
   * @param scope The scope of the task. It determines where the task is stored. A store need not
   *   check it again, so callers first read or create the task in this scope.
   */
  watch(scope: Scope, id: string, after: number): Watch;

  /**
   * Returns the tasks of a scope, ordered by the time of their status, newest first; tasks with
   * equal times are ordered by descending id. Rejects with a {@link CursorError} if `list` did not
   * create the cursor. If the tasks are large, a page may contain fewer tasks than its limit.
   */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage>;

  /**
   * Extends leases, and returns the leases that are still held. If `ttlMs` is 0, the leases expire
   * immediately, so that other processes can claim the tasks of a process that stops. If one of
   * several databases fails, its leases are unknown, and the remaining leases are extended.
   */
  renew(leases: readonly Lease[], claim: Claim): Promise<Renewed>;

  /**
   * Claims tasks whose lease has expired without being released, and tasks that are to be woken at
   * this time, and returns them: at most `limit` tasks, and fewer if the tasks are large. The result may include tasks that this holder has
   * claimed in an earlier call whose response was lost, because no process works on these tasks.
   * @param everyMs Set by a process that searches at this interval, like all other processes of the
   *   agent. If one of them has just searched, the store may return no tasks. It may also ask for a
   *   longer interval, so that many processes do not search more often than a few.
   */
  claimExpired(claim: Claim, limit: number, everyMs?: number): Promise<Claimed<Leased>>;

  /**
   * Adds a webhook, or replaces the webhook with the same id. Returns `"full"` if the task already
   * has `max` other webhooks, even if several webhooks are added concurrently. Returns `undefined`
   * if the scope has no such task. If a webhook is registered again and only `after` differs, the
   * webhook keeps its undelivered events. This matters because callers repeat calls whose response
   * was lost, and send their webhook with each message.
   */
  putWebhook(scope: Scope, webhook: Webhook, max?: number): Promise<"put" | "full" | undefined>;

  /** Returns the webhooks of a task, ordered by id; `undefined` if the scope has no such task. */
  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined>;

  /** Removes a webhook if it exists. Returns whether the scope has the task. */
  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean>;

  /**
   * Claims webhooks that are due and have undelivered events. Returns at most `limit` webhooks with
   * their first undelivered events, and fewer webhooks if the events are large.
   */
  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>>;

  /**
   * Releases a webhook after an attempt, and records the outcome: the events were delivered up to a
   * generation, the delivery must be retried later, or the webhook gets no more events.
   */
  delivered(lease: WebhookLease, outcome: Delivery): Promise<void>;

  /**
   * Deletes expired tasks and expired logs in a small batch, and returns the number of deleted
   * tasks and logs.
   */
  deleteExpired(retention: Retention): Promise<number>;

  /**
   * Returns the resource usage of an owner's open tasks. The query must be fast even for owners
   * with many tasks. Ended tasks count only towards `storedBytes`, which is computed only if
   * `withStored` is set.
   */
  usage(scope: Scope, withStored: boolean): Promise<Usage>;

  /**
   * Deletes at most `step` tasks with all their data, including open tasks, and returns the number
   * of deleted tasks. Repeat the call until it returns 0. An append to a deleted task rejects with
   * a {@link LeaseLostError}.
   */
  erase(target: ErasureTarget, step: number): Promise<number>;

  /**
   * Sets a mark of the database unless it already has a mark with this name, and returns the value
   * of the mark. Without a value, only returns the value of the mark; `undefined` if the database
   * has no mark with this name. A mark is never changed or deleted. A store of several databases
   * recognizes them by their marks.
   */
  mark?(name: string, value?: string): Promise<string | undefined>;

  /**
   * Returns whether the database contains no task of any owner. A store of several databases
   * refuses a new database that contains tasks.
   */
  isEmpty?(): Promise<boolean>;

  /**
   * Calls a listener whenever a webhook may have become due. Not called when a webhook becomes due
   * only because its retry time arrives or its lease expires. The listener returns whether it will
   * claim webhooks. If no listener of the process that made the webhook due does, the store calls
   * the listeners of the other processes. Returns a function that removes the listener.
   */
  onDue?(listener: () => boolean): () => void;

  /**
   * Sets the alarm of the platform for the next time at which the store has work, after an alarm
   * has gone off. Only a store whose platform starts its process at such times has this method. The
   * store then sets the alarm with each write, its process is the only process, and an idle process
   * has no timers.
   */
  resetAlarm?(): void;
}
