import { newEntries } from "../log/new-entries.js";
import { LeaseLostError, TaskExistsError, type UnreadableTaskError } from "../store.js";
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
import { openStates } from "../states.js";
import { ChangeListeners } from "./log/change-listeners.js";
import { Codec, type Encryption } from "./log/codec.js";
import { collect, itemsOf, parkedError, readable } from "./log/decode.js";
import { Compaction } from "./log/compaction.js";
import { readTogether } from "./log/read-queue.js";
import type { Position } from "./log/rows.js";
import { Claims } from "./postgres/claims.js";
import { Database, type PostgresClient, type PostgresPool, type Row } from "./postgres/database.js";
import { listenTo } from "./postgres/listen.js";
import { append, batches, fold, deleteExpired, insert, list, type PostgresEngine } from "./postgres/log.js";
import * as outbox from "./postgres/outbox.js";
import { parsed, type PostResult, storedFrom, textIn, type UsageResult, waitingFrom } from "./postgres/results.js";
import { see } from "./postgres/see.js";
import { Notifier } from "./postgres/notifier.js";

export type { Encryption } from "./log/codec.js";
export type { PostgresClient, PostgresPool, PostgresResult } from "./postgres/database.js";
export { postgresSchema } from "./postgres/schema.js";

/** Options for {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** Schema of the database for the tables and functions; `a2a` by default. */
  readonly schema?: string;
  /**
   * Source of the connection that listens for notifications; the pool by default. With `false`, the store polls for
   * changes by other processes instead.
   */
  readonly listen?: Pick<PostgresPool, "connect"> | false;
  /**
   * Interval in milliseconds for polling changes that were not notified; 5,000 by default, and 200 without
   * notifications.
   */
  readonly pollMs?: number;
  /** Encrypts the content of tasks in the database. */
  readonly encryption?: Encryption;
}

/** A task store in Postgres. */
export interface PostgresStore<M extends Models = Models> extends TaskStore<M> {
  /**
   * Ends all watches, and releases the connection for notifications. The pool stays open, because it belongs to the
   * caller.
   */
  close(): void;
}

/**
 * Returns a store that keeps tasks in a Postgres database, for any number of processes. The first call creates the
 * tables and functions, and rejects with an `Error` if they are of a later version.
 * @param pool A `Pool` of `pg`.
 * @throws A `TypeError` if the schema contains characters other than letters, digits and underscores.
 *
 * @example
 * const store = postgresStore(new pg.Pool({ connectionString }));
 */
export function postgresStore<M extends Models = Models>(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): PostgresStore<M> {
  const { schema = "a2a", listen = pool } = options;
  const connect = listen === false ? undefined : (): Promise<PostgresClient> => listen.connect();
  const engine = { database: new Database(pool, schema), codec: new Codec(options.encryption) };
  const store: PostgresStore = new Store(engine, connect, options.pollMs ?? (connect === undefined ? 200 : 5_000));
  // Tasks are returned with the type with which they were stored.
  return store as PostgresStore<M>;
}

class Store implements PostgresStore {
  readonly #engine: PostgresEngine;
  readonly #database: Database;
  readonly #codec: Codec;
  readonly #listeners: ChangeListeners;
  readonly #compaction: Compaction;
  readonly #claims = new Claims();
  readonly #teller: Notifier;

  constructor(engine: PostgresEngine, connect: (() => Promise<PostgresClient>) | undefined, pollMs: number) {
    const { database } = engine;
    this.#engine = engine;
    this.#database = database;
    this.#codec = engine.codec;
    this.#teller = new Notifier(database);
    this.#listeners = new ChangeListeners({
      read: readTogether((wanted) => batches(engine, wanted)),
      see: (ids) => see(database, ids),
      pollMs,
      listen: connect && listenTo(database.schema, connect),
    });
    this.#compaction = new Compaction((id) => fold(engine, id));
  }

  async create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    const { scope, claim, entries = [] } = options;
    const added = newEntries(entries, { id: task.id, generation: 1 }, () => false);
    const insertAs = (call: string | null): Promise<Position | undefined> =>
      insert(this.#engine, task, options, added, call);
    const end = await (claim === undefined ? insertAs(null) : this.#claims.make(claim.ttlMs, insertAs));
    if (end === undefined) throw new TaskExistsError(`There is a task ${task.id} already`);
    this.#listeners.appended(task.id, { generation: 1, nth: 0 }, { entries: added, end });
    this.#teller.grown(task.id, end);
    if (options.webhooks?.some(({ after }) => after < end.generation) === true) this.#due();
    if (claim === undefined) return undefined;
    const lease = { id: task.id, scope, holder: claim.holder, epoch: 1 };
    this.#listeners.hold(lease, claim);
    return lease;
  }

  async read({ tenant, owner }: Scope, id: string): Promise<Stored | undefined> {
    const { schema } = this.#database;
    const row = await this.#database.row(
      `SELECT ${schema}.stored(id, true, true) AS stored FROM ${schema}.tasks
       WHERE id = $1 AND tenant = $2 AND owner = $3`,
      [id, tenant, owner],
    );
    if (row === undefined) return undefined;
    const found = parsed(id, row["stored"]);
    const stored = storedFrom(id, found, this.#codec);
    this.#compaction.read(id, found.generation - found.folded.generation, stored.bytes);
    return stored;
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected = {},
  ): Promise<Posted | undefined> {
    const { generation = null, contextId = null, maxInbox = null, maxInboxBytes = null, maxBytes = null } = expected;
    const body = this.#codec.write(item);
    const result = await this.#claims.make(claim.ttlMs, (call) =>
      this.#database.textOf("post", [
        ...[scope.tenant, scope.owner, id, item.id, body, item.cancel !== undefined, claim.holder, claim.ttlMs, call],
        ...[generation, contextId, maxInbox, maxInboxBytes, maxBytes],
      ]),
    );
    if (result === undefined) return undefined;
    const posted = readable(id, () => JSON.parse(result) as PostResult);
    if (posted.outcome === "unreadable") throw parkedError(id);
    if ("state" in posted) return posted;
    const { outcome, count } = posted;
    if (outcome === "posted") {
      this.#listeners.posted(id, count);
      this.#teller.posted(id, count);
      return { outcome, stored: waitingFrom(id, posted.stored, this.#codec, item) };
    }
    const stored = storedFrom(id, posted.stored, this.#codec, item);
    const lease = { id, scope, holder: claim.holder, epoch: count };
    this.#listeners.hold(lease, claim);
    return { outcome, lease, stored };
  }

  async append(lease: Lease, entries: readonly Entry[], options: AppendOptions = {}): Promise<Appended> {
    const { id } = lease;
    const result = await append(this.#engine, lease, entries, options);
    if (result.outcome === "disorder") throw new RangeError(`The entries do not follow in the log of task ${id}`);
    if (result.outcome !== "appended") {
      this.#listeners.release(lease);
      throw new LeaseLostError(
        result.outcome === "lost"
          ? `The lease ${String(lease.epoch)} of the task ${id} has been lost`
          : `The task ${id} has been forgotten`,
      );
    }
    const { released, inbox, seen, bytes, isDue, count = 0, grown = 0, before, end } = result;
    if (released) this.#listeners.release(lease);
    if (before !== undefined && end !== undefined && count === entries.length)
      this.#listeners.appended(id, before, { entries, end });
    if (end !== undefined && entries.length > 0) this.#teller.grown(id, end);
    // A repeated append may come from a process that stopped before it could notify, so notify again.
    if (isDue === true || (entries.length > 0 && count === 0)) this.#due();
    this.#compaction.appended(id, grown, bytes, entries);
    const items = readable(id, () => itemsOf(inbox, this.#codec));
    return { inbox: items, released, bytes, ...(seen !== undefined && { seen }) };
  }

  watch(id: string, after: number): Watch {
    return this.#listeners.watch(id, after);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return list(this.#engine, scope, query);
  }

  async renew(leases: readonly Lease[], claim: Claim): Promise<readonly Lease[]> {
    const result = await this.#database.call("renew", [
      leases.map(({ id }) => id),
      leases.map(({ epoch }) => epoch),
      leases.map(({ holder }) => holder),
      claim.ttlMs,
    ]);
    const held = new Map((result ?? []) as readonly (readonly [id: string, epoch: number])[]);
    for (const lease of leases) {
      if (held.get(lease.id) === lease.epoch) this.#listeners.hold(lease, claim);
      else this.#listeners.release(lease);
    }
    return leases.filter(({ id, epoch }) => held.get(id) === epoch);
  }

  async claimExpired(claim: Claim, limit: number): Promise<Claimed<Leased>> {
    const found = await this.#claims.make(claim.ttlMs, (call) =>
      this.#database.rowsOf("expired", [claim.holder, claim.ttlMs, limit, call, this.#claims.lost]),
    );
    const rows: Leased[] = [];
    const unreadable: UnreadableTaskError[] = [];
    const parked: Row[] = [];
    for (const row of found)
      if (!collect(unreadable, () => rows.push(this.#leasedOf(row, claim.holder)))) parked.push(row);
    await this.#park(parked);
    for (const { lease } of rows) this.#listeners.hold(lease, claim);
    const total = Number(found[0]?.["found"] ?? 0);
    return { rows, unreadable, hasMore: total >= limit || found.length < total };
  }

  async putWebhook(scope: Scope, webhook: Webhook, max?: number): Promise<"put" | "full" | undefined> {
    const { found, isFull = false, isDue = false } = await outbox.put(this.#engine, scope, webhook, max);
    if (isDue) this.#due();
    return isFull ? "full" : found ? "put" : undefined;
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return outbox.list(this.#engine, scope, taskId);
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return outbox.drop(this.#engine, scope, taskId, id);
  }

  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    return outbox.due(this.#engine, claim, limit);
  }

  async delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    if (await outbox.settle(this.#engine, lease, outcome)) this.#due();
  }

  deleteExpired(retention: Retention): Promise<number> {
    return deleteExpired(this.#engine, retention);
  }

  async usage({ tenant, owner }: Scope, withStored: boolean): Promise<Usage> {
    // The SQL function `usage` builds this object.
    const found = (await this.#database.call("usage", [tenant, owner, openStates, withStored])) as UsageResult;
    const { storedBytes, ...usage } = found;
    return storedBytes === null ? usage : { ...usage, storedBytes };
  }

  async erase({ tenant, owner, taskId }: ErasureTarget, step: number): Promise<number> {
    const count = Number(await this.#database.call("erase", [tenant, owner ?? null, taskId ?? null, step]));
    if (count > 0) this.#listeners.erased();
    return count;
  }

  onDue(listener: () => void): () => void {
    return this.#listeners.onDue(listener);
  }

  close(): void {
    this.#listeners.close();
  }

  /**
   * Returns a claimed task.
   * @throws An `UnreadableTaskError` if the task cannot be read.
   */
  #leasedOf(row: Row, holder: string): Leased {
    const id = textIn(row["id"]);
    const scope = { tenant: textIn(row["tenant"]), owner: textIn(row["owner"]) };
    const stored = storedFrom(id, parsed(id, row["stored"]), this.#codec);
    return { lease: { id, scope, holder, epoch: Number(row["epoch"]) }, stored };
  }

  /** Marks unreadable tasks, so that no claim finds them again. The epoch keeps a later lease unchanged. */
  async #park(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#database.rows(
      `UPDATE ${this.#database.schema}.tasks t SET holder = NULL, expires = 'infinity'
       FROM unnest($1::text[], $2::bigint[]) r (id, epoch) WHERE t.id = r.id AND t.epoch = r.epoch`,
      [rows.map((row) => row["id"]), rows.map((row) => row["epoch"])],
    );
  }

  /** Notifies webhook senders of this process and of other processes. */
  #due(): void {
    this.#listeners.due();
    this.#teller.due();
  }
}
