import { newEntries } from "../log/new-entries.js";
import { LeaseLostError, TaskExistsError } from "../store.js";
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
  Retention,
  Scope,
  Stored,
  TaskPage,
  TaskQuery,
  TaskStore,
  Usage,
  Watch,
  Webhook,
  WebhookLease,
} from "../store.js";
import type { Models, Task } from "../model.js";
import { Codec, type Encryption } from "./log/codec.js";
import { keptTexts, newTaskOf } from "./log/large.js";
import { LeaseHolders } from "./log/lease-holders.js";
import { Listeners } from "./log/listeners.js";
import { WatchHub } from "./log/watch-hub.js";
import { Changes } from "./sqlite/changes.js";
import { Connection, type SqliteDatabase } from "./sqlite/connection.js";
import { Inboxes } from "./sqlite/inbox.js";
import { listed } from "./sqlite/list.js";
import { Outbox } from "./sqlite/outbox.js";
import { TaskRetention } from "./sqlite/retention.js";
import { migrate } from "./sqlite/schema.js";
import { Tasks } from "./sqlite/tasks.js";
import { Workers } from "./sqlite/workers.js";

export type { Encryption } from "./log/codec.js";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite/connection.js";
export { sqliteSchema } from "./sqlite/schema.js";

/** Options for {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * Whether writes survive a power failure, and not only a crash of the process. The default is `true`; `false` is
   * several times as fast.
   */
  readonly durable?: boolean;
  /** Interval in milliseconds for polling writes of other processes while something is watched; 20 by default. */
  readonly pollMs?: number;
  /** Time in milliseconds that a write waits for writes of other processes; 5,000 by default. */
  readonly busyMs?: number;
  /** Returns the time in milliseconds since 1970; `Date.now` by default, which is also the clock of SQLite. */
  readonly now?: () => number;
  /** Encrypts the content of tasks in the file. */
  readonly encryption?: Encryption;
}

/** A task store in a SQLite database. */
export interface SqliteStore<M extends Models = Models> extends TaskStore<M> {
  /** Ends all watches. The database stays open, because it belongs to the caller. */
  close(): void;
}

/**
 * Returns a store that keeps tasks in a SQLite database: one file for all processes of one machine. Creates missing
 * tables.
 * @param database A `DatabaseSync` of `node:sqlite` or a `Database` of `better-sqlite3`. No other code may have a
 * transaction open on it.
 * @throws Errors of the database, and an `Error` if a later version of this store created the tables.
 *
 * @example
 * const store = sqliteStore(new DatabaseSync("tasks.db"));
 */
export function sqliteStore<M extends Models = Models>(
  database: SqliteDatabase,
  options: SqliteStoreOptions = {},
): SqliteStore<M> {
  const { durable = true, busyMs = 5_000 } = options;
  const connection = new Connection(database, busyMs);
  connection.patiently(() => {
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    migrate(connection);
  });
  const store: SqliteStore = new Store(connection, options);
  // Tasks are returned with the type with which they were stored.
  return store as SqliteStore<M>;
}

const nothing: Claimed<never> = { rows: [], unreadable: [], hasMore: false };

class Store implements SqliteStore {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #now: () => number;
  readonly #tasks: Tasks;
  readonly #inboxes: Inboxes;
  readonly #retention: TaskRetention;
  readonly #outbox: Outbox;
  readonly #workers: Workers;
  readonly #hub: WatchHub;
  readonly #changes: Changes;
  readonly #leaseHolders = new LeaseHolders();
  readonly #listeners = new Listeners();
  /** Number of the last inbox item that this process has seen. */
  #lastItem = 0;

  constructor(connection: Connection, { now = Date.now, pollMs = 20, encryption }: SqliteStoreOptions) {
    const codec = (this.#codec = new Codec(encryption));
    this.#connection = connection;
    this.#now = now;
    const inboxes = (this.#inboxes = new Inboxes(connection, codec));
    const tasks = (this.#tasks = new Tasks(connection, codec, inboxes));
    const outbox = (this.#outbox = new Outbox(connection, codec, tasks));
    this.#retention = new TaskRetention(connection, tasks);
    this.#workers = new Workers({ connection, tasks, inboxes, outbox });
    this.#changes = new Changes(connection, pollMs, () => {
      this.#changed();
    });
    this.#hub = new WatchHub(
      (id, after) => promised(() => this.#tasks.batch(id, after)),
      () => {
        this.#look();
      },
    );
  }

  async create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    const { scope, claim, entries = [], webhooks = [] } = options;
    const added = newEntries(entries, { id: task.id, generation: 1 }, () => false);
    const written = newTaskOf(task, options, added, this.#codec);
    const { end } = written;
    const isDue = await this.#connection.write(() => {
      const now = this.#now();
      if (this.#tasks.find(task.id) !== undefined) throw new TaskExistsError(`There is a task ${task.id} already`);
      this.#tasks.insert(written, options, now);
      const due = webhooks.map((webhook) => this.#outbox.put(webhook, end.generation, now));
      return due.includes(true);
    });
    this.#hub.appended(task.id, { generation: 1, nth: 0 }, { entries: added, end });
    if (isDue) this.#listeners.announce();
    if (claim === undefined) return undefined;
    const lease = { id: task.id, scope, holder: claim.holder, epoch: 1 };
    this.#hold(lease, claim);
    return lease;
  }

  async read(scope: Scope, id: string): Promise<Stored | undefined> {
    const found = await promised(() =>
      this.#connection.read(() => {
        const row = this.#tasks.findIn(scope, id);
        return row && { stored: this.#tasks.stored(row), hasGrown: this.#tasks.hasGrown(row) };
      }),
    );
    // Compact in the background: the caller need not wait, and after a failure the next read tries again.
    if (found?.hasGrown === true)
      this.#connection
        .write(() => {
          const row = this.#tasks.find(id);
          if (row !== undefined) this.#tasks.fold(row);
        })
        .catch(() => undefined);
    return found?.stored;
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected = {},
  ): Promise<Posted | undefined> {
    const post = { scope, id, item, body: this.#codec.write(item), claim, expected };
    const posted = await this.#connection.write(() => this.#workers.post(post, this.#now()));
    if (posted?.outcome === "leased") this.#hold(posted.lease, claim);
    if (posted?.outcome === "posted") this.#leaseHolders.posted(id);
    return posted;
  }

  async append(lease: Lease, entries: readonly Entry[], options: AppendOptions = {}): Promise<Appended> {
    const bodies = entries.map((entry) => this.#codec.write(entry));
    const written = { entries, bodies, ...keptTexts(options, entries, this.#codec) };
    const write = this.#connection.write(() => this.#workers.append(lease, written, options, this.#now()));
    const { found, before, batch, isDue } = await write.catch((error: unknown) => {
      if (error instanceof LeaseLostError) this.#released(lease);
      throw error;
    });
    if (found.released) this.#released(lease);
    this.#hub.appended(lease.id, before, batch);
    if (isDue) this.#listeners.announce();
    return found;
  }

  watch(id: string, after: number): Watch {
    return this.#hub.watch(id, after);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return promised(() => this.#connection.read(() => listed(this.#connection, this.#tasks, scope, query)));
  }

  async renew(leases: readonly Lease[], claim: Claim): Promise<readonly Lease[]> {
    const held = await this.#connection.write(() => this.#workers.renew(leases, claim, this.#now()));
    for (const lease of leases) {
      if (held.includes(lease)) this.#hold(lease, claim);
      else this.#released(lease);
    }
    return held;
  }

  async claimExpired(claim: Claim, limit: number): Promise<Claimed<Leased>> {
    // Check first, so that an empty search does not wait for the write lock.
    if (!this.#workers.hasExpired(this.#now())) return nothing;
    const found = await this.#connection.write(() => this.#workers.expired(claim, limit, this.#now()));
    for (const { lease } of found.rows) this.#hold(lease, claim);
    return found;
  }

  async putWebhook(scope: Scope, webhook: Webhook, max = Infinity): Promise<"put" | "full" | undefined> {
    const isDue = await this.#connection.write(() => {
      const row = this.#tasks.findIn(scope, webhook.taskId);
      if (row === undefined) return undefined;
      return this.#outbox.isFull(webhook, max) ? "full" : this.#outbox.put(webhook, row.generation, this.#now());
    });
    if (isDue === true) this.#listeners.announce();
    return typeof isDue === "boolean" ? "put" : isDue;
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return promised(() => this.#tasks.findIn(scope, taskId) && this.#outbox.list(taskId));
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return this.#connection.write(() => {
      const isThere = this.#tasks.findIn(scope, taskId) !== undefined;
      if (isThere) this.#outbox.drop(taskId, id);
      return isThere;
    });
  }

  async claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    if (!this.#outbox.isDue(this.#now())) return nothing;
    return this.#connection.write(() => this.#outbox.due(claim, limit, this.#now()));
  }

  async delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    if (await this.#connection.write(() => this.#outbox.settle(lease, outcome, this.#now())))
      this.#listeners.announce();
  }

  deleteExpired(retention: Retention): Promise<number> {
    return this.#connection.write(() => this.#retention.deleteExpired(retention, this.#now()));
  }

  usage(scope: Scope, withStored: boolean): Promise<Usage> {
    return promised(() => this.#connection.read(() => this.#retention.usage(scope, withStored)));
  }

  async erase(target: ErasureTarget, step: number): Promise<number> {
    const count = await this.#connection.write(() => this.#retention.erase(target, step));
    if (count > 0) this.#see();
    return count;
  }

  onDue(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    this.#look();
    return () => {
      stop();
      this.#look();
    };
  }

  close(): void {
    this.#hub.close();
    this.#changes.want(false);
  }

  #hold(lease: Lease, claim: Claim): void {
    this.#leaseHolders.add(lease, claim);
    this.#look();
  }

  #released(lease: Lease): void {
    this.#leaseHolders.remove(lease);
    this.#look();
  }

  /** Polls for writes of other processes only while this process has a watch, a lease holder or a webhook sender. */
  #look(): void {
    const isWanted = this.#hub.isUsed || this.#leaseHolders.isUsed || this.#listeners.isUsed;
    if (isWanted && !this.#changes.isOn) this.#lastItem = this.#inboxes.lastItem();
    this.#changes.want(isWanted);
  }

  /** Ends the watches of deleted tasks. */
  #see(): void {
    const { ids } = this.#hub;
    this.#hub.seen(ids, new Set(ids.filter((id) => this.#tasks.find(id) !== undefined)));
  }

  /** Notifies the subscribers of this process after another process has written to the database. */
  #changed(): void {
    this.#hub.wake();
    this.#see();
    const { ids, last } = this.#inboxes.postedSince(this.#lastItem);
    this.#lastItem = last;
    for (const id of ids) this.#leaseHolders.posted(id);
    if (this.#listeners.isUsed && this.#outbox.isDue(this.#now())) this.#listeners.announce();
  }
}

/** Returns a promise of the result of a function. If the function throws, the promise rejects. */
function promised<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(call());
  });
}
