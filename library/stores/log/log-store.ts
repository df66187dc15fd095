import { newEntries } from "../../kit/log/new-entries.js";
import type { Task } from "../../kit/model.js";
import { LeaseLostError, markAsOwn, TaskExistsError } from "../../kit/store.js";
import type {
  Appended,
  AppendOptions,
  Claim,
  Claimed,
  CreateOptions,
  Delivery,
  Entry,
  ErasureTarget,
  Expected,
  InboxItem,
  Lease,
  Leased,
  Posted,
  Refused,
  Renewed,
  Retention,
  Scope,
  Stored,
  StoredTask,
  TaskPage,
  TaskQuery,
  TaskStore,
  Usage,
  Watch,
  Webhook,
  WebhookLease,
} from "../../kit/store.js";
import type { Append, Verdict } from "./append.js";
import { appendOf, AppendQueue } from "./append-queue.js";
import { ChangeListeners, type ChangeListenersOptions } from "./change-listeners.js";
import type { Codec } from "./codec.js";
import { Compaction } from "./compaction.js";
import type { Position } from "./rows.js";

/** A stored task, and the number of events after its snapshot. */
export interface ReadTask {
  readonly stored: Stored;
  readonly grown: number;
}

/**
 * Result of posting an item. Contains the epoch of the acquired lease, or a `count` that increases
 * with each post. `stored` is a function because the lease holder must be notified even if the task
 * cannot be decoded.
 */
export type PostedItem =
  | {
      readonly outcome: "leased";
      readonly isNew: boolean;
      readonly stored: Stored;
      readonly epoch: number;
    }
  | { readonly outcome: "posted"; readonly stored: () => StoredTask; readonly count: number }
  | Refused;

/**
 * A database that stores task logs. Its methods correspond to the methods of {@link TaskStore}.
 * They also return the changes that they make, and {@link LogStore} notifies the subscribers in
 * this process of these changes.
 */
export interface LogDatabase extends Pick<
  TaskStore,
  | "claimExpired"
  | "webhooks"
  | "deleteWebhook"
  | "claimWebhooks"
  | "deleteExpired"
  | "usage"
  | "erase"
> {
  /** Maximum number of append steps that run at the same time. */
  readonly steps: number;
  /**
   * Adds a task, and returns the end of its log; `undefined` if a task with the same id already
   * exists.
   */
  insert(
    task: Task,
    options: CreateOptions,
    added: readonly Entry[],
  ): Promise<Position | undefined>;
  read(scope: Scope, id: string): Promise<ReadTask | undefined>;
  post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected,
  ): Promise<PostedItem | undefined>;
  /**
   * Executes appends to different tasks in one step, and returns a result for each append in the
   * same order. A failed append does not affect the other appends. Only rejects if the database
   * fails. In this case, either all of the appends were executed or none.
   */
  append(appends: readonly Append[]): Promise<readonly Verdict[]>;
  /**
   * Returns a page. Calls `onRead` with each task, so that the store can compact it if necessary.
   */
  list(
    scope: Scope,
    query: TaskQuery,
    onRead: (id: string, grown: number, bytes: number) => void,
  ): Promise<TaskPage>;
  /** Extends leases, and returns the leases that are still held. */
  renew(leases: readonly Lease[], claim: Claim): Promise<ReadonlySet<Lease>>;
  putWebhook(
    scope: Scope,
    webhook: Webhook,
    max: number | undefined,
  ): Promise<{ readonly outcome: "put" | "full" | undefined; readonly isDue: boolean }>;
  /** Releases a webhook, and returns whether it is due again. */
  delivered(lease: WebhookLease, outcome: Delivery): Promise<boolean>;
  /**
   * Sets a mark unless it exists or the value is absent, and returns the value of the mark, if any.
   */
  mark(name: string, value: string | undefined): Promise<string | undefined>;
  /** Returns whether the database contains no task. */
  isEmpty(): Promise<boolean>;
  /** Compacts the snapshot of a task. */
  compact(id: string): Promise<void>;
}

/** A store that can be closed. */
export interface ClosableStore extends TaskStore {
  mark(name: string, value?: string): Promise<string | undefined>;
  /**
   * Ends all watches and stops polling. The database connection stays open, because it belongs to
   * the caller.
   */
  close(): void;
}

/**
 * A store that keeps the logs of tasks in a database. It tracks the leases, watches and webhook
 * senders of this process, and notifies them of changes. Methods may be called concurrently. The
 * database determines their order.
 */
export class LogStore implements ClosableStore {
  readonly #database: LogDatabase;
  readonly #codec: Codec;
  readonly #appends: AppendQueue;
  readonly #listeners: ChangeListeners;
  readonly #compaction: Compaction;

  constructor(database: LogDatabase, codec: Codec, options: ChangeListenersOptions) {
    this.#database = database;
    this.#codec = codec;
    this.#appends = new AppendQueue((appends) => database.append(appends), database.steps);
    this.#listeners = new ChangeListeners(options);
    this.#compaction = new Compaction((id) => database.compact(id));
    markAsOwn(this);
  }

  async create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    const { scope, claim, entries = [], webhooks = [] } = options;
    const added = newEntries(entries, { id: task.id, generation: 1 }, () => false);
    const end = await this.#database.insert(task, options, added);
    if (end === undefined)
      throw new TaskExistsError(`A task with the id ${task.id} already exists`);
    this.#listeners.created(task.id, { entries: added, end });
    if (webhooks.some(({ after }) => after < end.generation)) this.#listeners.due();
    if (claim === undefined) return undefined;
    const lease = { id: task.id, scope, holder: claim.holder, epoch: 1 };
    this.#listeners.hold(lease, claim);
    return lease;
  }

  async read(scope: Scope, id: string): Promise<Stored | undefined> {
    const found = await this.#database.read(scope, id);
    if (found !== undefined) this.#compaction.read(id, found.grown, found.stored.bytes);
    return found?.stored;
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected = {},
  ): Promise<Posted | undefined> {
    const posted = await this.#database.post(scope, id, item, claim, expected);
    if (posted?.outcome === "leased") {
      const { outcome, isNew, stored, epoch } = posted;
      const lease = { id, scope, holder: claim.holder, epoch };
      this.#listeners.hold(lease, claim);
      return { outcome, isNew, lease, stored };
    }
    if (posted?.outcome !== "posted") return posted;
    this.#listeners.posted(id, posted.count);
    return { outcome: posted.outcome, stored: posted.stored() };
  }

  async append(
    lease: Lease,
    entries: readonly Entry[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    const { id } = lease;
    try {
      const found = await this.#appends.add(appendOf(lease, entries, options, this.#codec));
      const { appended, inbox, before, batch, isDue, grown, watchers } = found;
      if (appended.released) this.#listeners.release(lease);
      if (entries.length > 0) this.#listeners.appended(id, before, batch, watchers);
      if (isDue) this.#listeners.due();
      this.#compaction.appended(id, grown, appended.bytes, entries);
      return inbox === undefined ? appended : { ...appended, inbox: inbox() };
    } catch (error) {
      if (error instanceof LeaseLostError) this.#listeners.release(lease);
      throw error;
    }
  }

  watch(_scope: Scope, id: string, after: number): Watch {
    return this.#listeners.watch(id, after);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#database.list(scope, query, (id, grown, bytes) => {
      this.#compaction.read(id, grown, bytes);
    });
  }

  async renew(leases: readonly Lease[], claim: Claim): Promise<Renewed> {
    const held = await this.#database.renew(leases, claim);
    for (const lease of leases) {
      if (held.has(lease)) this.#listeners.hold(lease, claim);
      else this.#listeners.release(lease);
    }
    return { held: leases.filter((lease) => held.has(lease)) };
  }

  async claimExpired(claim: Claim, limit: number, everyMs?: number): Promise<Claimed<Leased>> {
    const claimed = await this.#database.claimExpired(claim, limit, everyMs);
    for (const { lease } of claimed.rows) this.#listeners.hold(lease, claim);
    return claimed;
  }

  async putWebhook(
    scope: Scope,
    webhook: Webhook,
    max?: number,
  ): Promise<"put" | "full" | undefined> {
    const { outcome, isDue } = await this.#database.putWebhook(scope, webhook, max);
    if (isDue) this.#listeners.due();
    return outcome;
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return this.#database.webhooks(scope, taskId);
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return this.#database.deleteWebhook(scope, taskId, id);
  }

  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    return this.#database.claimWebhooks(claim, limit);
  }

  async delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    if (await this.#database.delivered(lease, outcome)) this.#listeners.due();
  }

  deleteExpired(retention: Retention): Promise<number> {
    return this.#database.deleteExpired(retention);
  }

  usage(scope: Scope, withStored: boolean): Promise<Usage> {
    return this.#database.usage(scope, withStored);
  }

  async erase(target: ErasureTarget, step: number): Promise<number> {
    const count = await this.#database.erase(target, step);
    if (count > 0) this.#listeners.erased();
    return count;
  }

  mark(name: string, value?: string): Promise<string | undefined> {
    return this.#database.mark(name, value);
  }

  isEmpty(): Promise<boolean> {
    return this.#database.isEmpty();
  }

  onDue(listener: () => boolean): () => void {
    return this.#listeners.onDue(listener);
  }

  close(): void {
    this.#listeners.close();
  }
}

/** Returns the error for an append that the database has rejected. */
export function rejectedAppend({ id, epoch }: Lease, outcome: string): Error {
  if (outcome === "disorder")
    return new RangeError(`The entries do not continue the log of task ${id}`);
  if (outcome === "forgotten") return new LeaseLostError(`The task ${id} has been deleted`);
  return new LeaseLostError(`The lease ${String(epoch)} of the task ${id} has been lost`);
}
