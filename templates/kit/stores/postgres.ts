import { newEntries } from "../new-entries.js";
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
import { Audience } from "./log/audience.js";
import { Folding } from "./log/folding.js";
import { readTogether } from "./log/read-queue.js";
import type { Position } from "./log/rows.js";
import { Claims } from "./postgres/claims.js";
import { Database, type PostgresClient, type PostgresPool } from "./postgres/database.js";
import { listenTo } from "./postgres/listen.js";
import { append, batches, fold, forget, insert, list } from "./postgres/log.js";
import * as outbox from "./postgres/outbox.js";
import { type ExpiredResult, type PostResult, storedFrom, type StoredResult } from "./postgres/results.js";
import { see } from "./postgres/see.js";
import { Teller } from "./postgres/teller.js";

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
  readonly #audience: Audience;
  readonly #folding: Folding;
  readonly #claims = new Claims();
  readonly #teller: Teller;

  constructor(database: Database, connect: (() => Promise<PostgresClient>) | undefined, pollMs: number) {
    this.#database = database;
    this.#teller = new Teller(database);
    this.#audience = new Audience({
      read: readTogether((wanted) => batches(database, wanted)),
      see: (ids) => see(database, ids),
      pollMs,
      listen: connect && listenTo(database.schema, connect),
    });
    this.#folding = new Folding((id) => fold(database, id));
  }

  async create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    const { scope, claim, entries = [] } = options;
    const added = newEntries(entries, { id: task.id, generation: 1 }, () => false);
    const insertAs = (call: string | null): Promise<Position | undefined> =>
      insert(this.#database, task, options, added, call);
    const end = await (claim === undefined ? insertAs(null) : this.#claims.make(claim.ttlMs, insertAs));
    if (end === undefined) throw new TaskExistsError(`There is a task ${task.id} already`);
    this.#audience.appended(task.id, { generation: 1, nth: 0 }, { entries: added, end });
    this.#teller.grown(task.id, end);
    if (options.webhooks?.some(({ after }) => after < end.generation) === true) this.#due();
    if (claim === undefined) return undefined;
    const lease = { id: task.id, scope, holder: claim.holder, epoch: 1 };
    this.#audience.hold(lease, claim);
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
    this.#folding.read(id, found.grown);
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
    const result = await this.#claims.make(claim.ttlMs, (call) =>
      this.#database.call(
        "post",
        ...[scope.tenant, scope.owner, id, item.id, JSON.stringify(item), claim.holder, claim.ttlMs, call],
        ...[generation, contextId, maxInbox],
      ),
    );
    if (result === undefined) return undefined;
    const posted = result as PostResult;
    const stored = storedFrom(posted.stored);
    if (posted.outcome !== "leased") {
      if (posted.outcome === "posted") {
        this.#audience.posted(id, posted.posts);
        this.#teller.posted(id, posted.posts);
      }
      return { outcome: posted.outcome, stored };
    }
    const lease = { id, scope, holder: claim.holder, epoch: posted.epoch };
    this.#audience.hold(lease, claim);
    return { outcome: "leased", lease, stored };
  }

  async append(lease: Lease, entries: readonly Entry[], options: AppendOptions = {}): Promise<Appended> {
    const { id } = lease;
    const result = await append(this.#database, lease, entries, options);
    if (result.outcome === "disorder") throw new RangeError(`The entries do not follow in the log of task ${id}`);
    if (result.outcome !== "appended") {
      this.#audience.letGo(lease);
      throw new LeaseLostError(
        result.outcome === "lost"
          ? `The lease ${String(lease.epoch)} of the task ${id} has been lost`
          : `The task ${id} has been forgotten`,
      );
    }
    const { released, inbox, isDue, count = 0, grown = 0, before, end } = result;
    if (released) this.#audience.letGo(lease);
    if (before !== undefined && end !== undefined && count === entries.length)
      this.#audience.appended(id, before, { entries, end });
    if (end !== undefined && entries.length > 0) this.#teller.grown(id, end);
    // Whoever repeats a call may have been ended before it could tell.
    if (isDue === true || (entries.length > 0 && count === 0)) this.#due();
    this.#folding.appended(id, grown, entries);
    return { inbox: inbox ?? [], released };
  }

  watch(id: string, after: number): Watch {
    return this.#audience.watch(id, after);
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
      if (held.get(lease.id) === lease.epoch) this.#audience.hold(lease, claim);
      else this.#audience.letGo(lease);
    }
    return leases.filter(({ id, epoch }) => held.get(id) === epoch);
  }

  async expired(claim: Claim, limit: number): Promise<readonly Leased[]> {
    const result = await this.#claims.make(claim.ttlMs, (call) =>
      this.#database.call("expired", claim.holder, claim.ttlMs, limit, call, this.#claims.lost),
    );
    return ((result ?? []) as readonly ExpiredResult[]).map(({ id, tenant, owner, epoch, stored }) => {
      const lease = { id, scope: { tenant, owner }, holder: claim.holder, epoch };
      this.#audience.hold(lease, claim);
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

  async forget(retention: Retention): Promise<number> {
    const { count, unfolded } = await forget(this.#database, retention);
    if (unfolded.length === 0) return count;
    for (const id of unfolded) await fold(this.#database, id);
    const logs = await forget(this.#database, { ...retention, maxAgeMs: Infinity, maxCount: Infinity });
    return count + logs.count;
  }

  onDue(listener: () => void): () => void {
    return this.#audience.onDue(listener);
  }

  close(): void {
    this.#audience.close();
  }

  /** A webhook has become due. */
  #due(): void {
    this.#audience.due();
    this.#teller.due();
  }
}
