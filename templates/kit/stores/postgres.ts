import { newEntries } from "../new-entries.js";
import { isInterrupted, isTerminal } from "../states.js";
import { LeaseLostError, TaskExistsError } from "../store.js";
import type {
  Appended,
  AppendOptions,
  Claim,
  CreateOptions,
  Delivery,
  Entry,
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
  Watch,
  Webhook,
  WebhookLease,
} from "../store.js";
import type { Task } from "../../models.js";
import { Holds } from "./log/holds.js";
import { Listeners } from "./log/listeners.js";
import { lastStatus } from "./log/rows.js";
import { WatchHub } from "./log/watch-hub.js";
import { Database, type PostgresClient, type PostgresPool } from "./postgres/database.js";
import { append, batch, fold, insert, list } from "./postgres/log.js";
import { Notifications } from "./postgres/notifications.js";
import * as outbox from "./postgres/outbox.js";
import { Poll } from "./postgres/poll.js";
import { type ExpiredResult, type PostResult, storedFrom, type StoredResult } from "./postgres/results.js";

export type { PostgresClient, PostgresPool, PostgresResult } from "./postgres/database.js";
export { postgresSchema } from "./postgres/schema.js";

export interface PostgresStoreOptions {
  /** The schema of the database that the tables are in; `a2a` by default. */
  readonly schema?: string;
  /**
   * Where the connection comes from that listens for notifications; the pool by default. `false` for none: then changes
   * by other processes are found by looking for them.
   */
  readonly listen?: Pick<PostgresPool, "connect"> | false;
  /** How often to look for changes that nobody has told of; 5,000 by default, and 200 without notifications. */
  readonly pollMs?: number;
}

/** A task store in Postgres. */
export interface PostgresStore extends TaskStore {
  /** Ends all watches, and gives the connection back that listens. The pool stays open, as it is the caller's. */
  close(): void;
}

/** How many tasks `forget` removes where it is not told. */
const stepOfForget = 100;

/** From how many events on a snapshot is brought up to date: when a task comes to rest, and by who reads it. */
const manyAtRest = 16;
const manyToRead = 256;

/**
 * Returns a store that keeps tasks in a database of Postgres, for any number of processes. Takes a `Pool` of `pg`. Makes
 * its tables and functions with the first call, which rejects with an `Error` where these are of a later version.
 * Throws a `TypeError` for a schema whose name is more than letters, digits and underscores.
 *
 * @example
 * const store = postgresStore(new pg.Pool({ connectionString }));
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): PostgresStore {
  const { schema = "a2a", listen = pool } = options;
  const connect = listen === false ? undefined : (): Promise<PostgresClient> => listen.connect();
  return new Store(new Database(pool, schema), connect, options.pollMs ?? (connect === undefined ? 200 : 5_000));
}

class Store implements PostgresStore {
  readonly #database: Database;
  readonly #hub: WatchHub;
  readonly #poll: Poll;
  readonly #notifications: Notifications | undefined;
  readonly #holds = new Holds();
  readonly #listeners = new Listeners();
  readonly #folding = new Set<string>();

  constructor(database: Database, connect: (() => Promise<PostgresClient>) | undefined, pollMs: number) {
    this.#database = database;
    this.#hub = new WatchHub(
      (id, after) => batch(database, id, after),
      () => {
        this.#look();
      },
    );
    const handlers = {
      onEntries: (id: string): void => {
        this.#hub.wake(id);
      },
      onPost: (id: string, count: number): void => {
        this.#holds.posted(id, count);
      },
      onDue: (): void => {
        this.#listeners.announce();
      },
    };
    this.#poll = new Poll(database, pollMs, { ids: () => [...this.#hub.ids, ...this.#holds.ids], ...handlers });
    const onAnything = (): void => {
      this.#hub.wake();
      void this.#poll.look();
    };
    if (connect !== undefined)
      this.#notifications = new Notifications(connect, database.schema, { ...handlers, onAnything });
  }

  async create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    const { scope, claim, entries = [] } = options;
    const added = newEntries(entries, { id: task.id, generation: 1 }, () => false);
    const end = await insert(this.#database, task, options, added);
    if (end === undefined) throw new TaskExistsError(`There is a task ${task.id} already`);
    this.#hub.appended(task.id, { generation: 1, nth: 0 }, { entries: added, end });
    if (claim === undefined) return undefined;
    const lease = { id: task.id, scope, holder: claim.holder, epoch: 1 };
    this.#hold(lease, claim);
    return lease;
  }

  async read({ tenant, owner }: Scope, id: string): Promise<Stored | undefined> {
    const { schema } = this.#database;
    const result = await this.#database.query(
      `SELECT ${schema}.stored(id, true)::text AS result FROM ${schema}.tasks
       WHERE id = $1 AND tenant = $2 AND owner = $3`,
      ...[id, tenant, owner],
    );
    if (result === undefined) return undefined;
    const found = result as StoredResult;
    if (found.grown >= manyToRead) this.#fold(id);
    return storedFrom(found);
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected = {},
  ): Promise<Posted | undefined> {
    const { generation = null, contextId = null, maxInbox = null } = expected;
    const result = await this.#database.call(
      "post",
      ...[scope.tenant, scope.owner, id, item.id, JSON.stringify(item), claim.holder, claim.ttlMs],
      ...[generation, contextId, maxInbox],
    );
    if (result === undefined) return undefined;
    const posted = result as PostResult;
    const stored = storedFrom(posted.stored);
    if (posted.outcome !== "leased") {
      if (posted.outcome === "posted") this.#holds.posted(id, posted.posts);
      return { outcome: posted.outcome, stored };
    }
    const lease = { id, scope, holder: claim.holder, epoch: posted.epoch };
    this.#hold(lease, claim);
    return { outcome: "leased", lease, stored };
  }

  async append(lease: Lease, entries: readonly Entry[], options: AppendOptions = {}): Promise<Appended> {
    const { id } = lease;
    const result = await append(this.#database, lease, entries, options);
    if (result.outcome === "disorder") throw new RangeError(`The entries do not follow in the log of task ${id}`);
    if (result.outcome !== "appended") {
      this.#letGo(lease);
      throw new LeaseLostError(
        result.outcome === "lost"
          ? `The lease ${String(lease.epoch)} of the task ${id} has been lost`
          : `The task ${id} has been forgotten`,
      );
    }
    const { released, inbox, isDue, count = 0, grown = 0, before, end } = result;
    if (released) this.#letGo(lease);
    if (before !== undefined && end !== undefined && count === entries.length)
      this.#hub.appended(id, before, { entries, end });
    if (isDue === true) this.#due();
    if (grown >= manyAtRest && isAtRest(entries)) this.#fold(id);
    return { inbox: inbox ?? [], released };
  }

  watch(id: string, after: number): Watch {
    return this.#hub.watch(id, after);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return list(this.#database, scope, query);
  }

  async renew(leases: readonly Lease[], claim: Claim): Promise<readonly Lease[]> {
    const result = await this.#database.call(
      "renew",
      leases.map(({ id }) => id),
      leases.map(({ epoch }) => epoch),
      leases.map(({ holder }) => holder),
      claim.ttlMs,
    );
    const held = new Map((result ?? []) as readonly (readonly [id: string, epoch: number])[]);
    for (const lease of leases) {
      if (held.get(lease.id) === lease.epoch) this.#hold(lease, claim);
      else this.#letGo(lease);
    }
    return leases.filter(({ id, epoch }) => held.get(id) === epoch);
  }

  async expired(claim: Claim, limit: number): Promise<readonly Leased[]> {
    const result = await this.#database.call("expired", claim.holder, claim.ttlMs, limit);
    return ((result ?? []) as readonly ExpiredResult[]).map(({ id, tenant, owner, epoch, stored }) => {
      const lease = { id, scope: { tenant, owner }, holder: claim.holder, epoch };
      this.#hold(lease, claim);
      return { lease, stored: storedFrom(stored) };
    });
  }

  async putWebhook(scope: Scope, webhook: Webhook): Promise<boolean> {
    const { found, isDue = false } = await outbox.put(this.#database, scope, webhook);
    if (isDue) this.#due();
    return found;
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return outbox.list(this.#database, scope, taskId);
  }

  dropWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return outbox.drop(this.#database, scope, taskId, id);
  }

  dueWebhooks(claim: Claim, limit: number): Promise<readonly WebhookLease[]> {
    return outbox.due(this.#database, claim, limit);
  }

  async delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    if (await outbox.settle(this.#database, lease, outcome)) this.#due();
  }

  async forget({ maxAgeMs = Infinity, maxCount = Infinity, ...rest }: Retention): Promise<number> {
    const { maxLogAgeMs = null, step = stepOfForget } = rest;
    return Number(await this.#database.call("forget", maxAgeMs, maxCount, maxLogAgeMs, step));
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
    this.#want(false);
  }

  /** A webhook has become due; where there are notifications, the database says so. */
  #due(): void {
    if (this.#notifications === undefined) this.#listeners.announce();
  }

  /** Brings a snapshot up to date. Nobody waits for it, and who comes next tries again. */
  #fold(id: string): void {
    if (this.#folding.has(id)) return;
    this.#folding.add(id);
    fold(this.#database, id)
      .catch(() => undefined)
      .finally(() => this.#folding.delete(id));
  }

  #hold(lease: Lease, claim: Claim): void {
    this.#holds.add(lease, claim);
    this.#look();
  }

  #letGo(lease: Lease): void {
    this.#holds.remove(lease);
    this.#look();
  }

  /** Looks at what other processes do as long as somebody here wants to know. */
  #look(): void {
    this.#want(this.#hub.isUsed || this.#holds.isUsed || this.#listeners.isUsed);
  }

  #want(isWanted: boolean): void {
    this.#notifications?.want(isWanted);
    this.#poll.want(isWanted);
  }
}

function isAtRest(entries: readonly Entry[]): boolean {
  const state = lastStatus(entries)?.status.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}
