import type { Task } from "../kit/model.js";
import { openStates } from "../kit/states.js";
import { log } from "../runtime/base/async.js";
import { isObject } from "../runtime/base/json.js";
import type {
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
  Retention,
  Scope,
  TaskPage,
  TaskQuery,
  UnreadableTaskError,
  Usage,
  Webhook,
  WebhookLease,
} from "../kit/store.js";
import type { Append, Verdict } from "./log/append.js";
import { Codec, type Encryption } from "./log/codec.js";
import { collect, parkedError, readable } from "./log/decode.js";
import {
  type ClosableStore,
  type LogDatabase,
  LogStore,
  type PostedItem,
  type ReadTask,
} from "./log/log-store.js";
import { quickPollMs, watchedPolls } from "./log/poll.js";
import { readTogether } from "./log/read-queue.js";
import type { Position } from "./log/rows.js";
import { SearchPace, sharedPart } from "./log/search-pace.js";
import { appendAll } from "./postgres/append.js";
import { Claims } from "./postgres/claims.js";
import { Database, type PostgresClient, type PostgresPool, type Row } from "./postgres/database.js";
import { list } from "./postgres/list.js";
import { listenTo } from "./postgres/listen.js";
import { batches, deleteExpired, fold, insert, type PostgresEngine } from "./postgres/log.js";
import { mark } from "./postgres/marks.js";
import { Notifier } from "./postgres/notifier.js";
import * as outbox from "./postgres/outbox.js";
import {
  parsed,
  type PostResult,
  storedFrom,
  textIn,
  type UsageResult,
  storedTaskFrom,
} from "./postgres/results.js";
import { readState } from "./postgres/see.js";

export type { Encryption, SealContext } from "./log/codec.js";
export type { PostgresClient, PostgresPool, PostgresResult } from "./postgres/database.js";
export { postgresSchema } from "./postgres/schema.js";

/** Options for {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** Schema of the database for the tables and functions; `a2a` by default. */
  readonly schema?: string;
  /**
   * Source of the connection that listens for notifications; the pool by default. With `false`, the
   * store polls for changes by other processes instead.
   */
  readonly listen?: Pick<PostgresPool, "connect"> | false;
  /**
   * Interval in milliseconds for polling, which finds changes whose notification was lost; 5,000 by
   * default, and 200 without notifications.
   */
  readonly pollMs?: number;
  /**
   * Whether writes survive a power loss, or a crash of the database server; `true` by default. With
   * `false`, writes do not wait for the disk (`synchronous_commit` is off for the store's
   * statements), and the writes of the last second can be lost. The remaining data stays
   * consistent.
   */
  readonly survivesPowerLoss?: boolean;
  /**
   * Whether each connection keeps the store's statements prepared; `true` by default, if the pool
   * is a `Pool` of `pg`. Set it to `false` behind a pooler that shares connections between
   * transactions and does not support prepared statements.
   */
  readonly prepare?: boolean;
  /** Encrypts the content of tasks in the database. */
  readonly encryption?: Encryption;
}

/**
 * A task store in Postgres. Closing the store also releases the connection for notifications. The
 * pool stays open.
 */
export type PostgresStore = ClosableStore;

/**
 * Returns a store that keeps tasks in a Postgres database, for any number of processes. The first
 * call to the store creates or upgrades the tables and functions. Calls reject with an `Error` if
 * the server is too old, or if a later version of this store has created the tables.
 * @param pool A `Pool` of `pg`.
 * @throws A `TypeError` if the name of the schema contains characters other than lowercase letters,
 *   digits and underscores, begins with a digit, or has more than 63 characters, or if the pool has
 *   only one connection and would also listen.
 *
 * @example
 * const store = postgresStore(new pg.Pool({ connectionString }));
 */
export function postgresStore(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): PostgresStore {
  const { schema = "a2a", listen = pool } = options;
  if (listen === pool) checkSize(pool);
  const connect = listen === false ? undefined : (): Promise<PostgresClient> => listen.connect();
  const engine = {
    database: new Database(pool, schema, options),
    codec: new Codec(options.encryption),
  };
  const notifier = new Notifier(engine.database);
  const pollMs = options.pollMs ?? (connect === undefined ? quickPollMs : 5_000);
  const store: PostgresStore = new LogStore(new PostgresLogs(engine), engine.codec, {
    read: readTogether((requests) => batches(engine, requests)),
    // Without notifications, a process does not ask for any.
    readState: (ids, watched) =>
      readState(engine.database, ids, {
        watched: connect === undefined ? [] : watched,
        watcher: notifier.process,
        watchedMs: pollMs * watchedPolls,
      }),
    pollMs,
    listen: connect && listenTo(notifier.channels, connect),
    notifier,
    onDeaf: () => {
      log(
        "postgresStore: no notification arrives at the connection that listens, as through a " +
          "pooler that shares connections between transactions. The store polls for changes each " +
          `${String(quickPollMs)} ms instead. Pass a pool that connects directly to the database ` +
          "as `listen`, or `false`",
      );
    },
  });
  // The store returns the tasks that it was given, so they have the types of the output.
  return store;
}

/** Checks that the connection that listens leaves a connection for calls. */
function checkSize(pool: PostgresPool): void {
  if ("options" in pool && isObject(pool.options) && pool.options["max"] === 1)
    throw new TypeError(
      "The pool has one connection, which would only listen for notifications, so that every call " +
        "would wait for a connection: set `max` of the pool to 2 or more, or the option `listen` " +
        "of the store to another pool or to false",
    );
}

class PostgresLogs implements LogDatabase {
  /** With two steps, this process prepares one step while the database executes the other step. */
  readonly steps = 2;
  readonly #engine: PostgresEngine;
  readonly #database: Database;
  readonly #codec: Codec;
  readonly #claims = new Claims();
  readonly #pace = new SearchPace();

  constructor(engine: PostgresEngine) {
    this.#engine = engine;
    this.#database = engine.database;
    this.#codec = engine.codec;
  }

  insert(
    task: Task,
    options: CreateOptions,
    added: readonly Entry[],
  ): Promise<Position | undefined> {
    const { claim } = options;
    const insertAs = (call: string | null): Promise<Position | undefined> =>
      insert(this.#engine, task, options, added, call);
    return claim === undefined ? insertAs(null) : this.#claims.make(claim.ttlMs, insertAs);
  }

  async read({ tenant, owner }: Scope, id: string): Promise<ReadTask | undefined> {
    const { schema } = this.#database;
    const row = await this.#database.row(
      `SELECT ${schema}.stored(id, true, true) AS stored FROM ${schema}.tasks
       WHERE id = $1 AND tenant = $2 AND owner = $3`,
      [id, tenant, owner],
    );
    if (row === undefined) return undefined;
    const found = parsed(id, row["stored"]);
    return {
      stored: storedFrom(id, found, this.#codec),
      grown: found.generation - found.folded.generation,
    };
  }

  async post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected,
  ): Promise<PostedItem | undefined> {
    const {
      generation = null,
      contextId = null,
      maxInbox = null,
      maxInboxBytes = null,
      maxBytes = null,
    } = expected;
    const body = this.#codec.of(id).write(item, "item");
    const result = await this.#claims.make(claim.ttlMs, (call) =>
      this.#database.textOf("post", [
        ...[scope.tenant, scope.owner, id, item.id, body, item.cancel !== undefined],
        ...[claim.holder, claim.ttlMs, call],
        ...[generation, contextId, maxInbox, maxInboxBytes, maxBytes],
      ]),
    );
    if (result === undefined) return undefined;
    const posted = readable(id, () => JSON.parse(result) as PostResult);
    if (posted.outcome === "unreadable") throw parkedError(id);
    if ("state" in posted) return posted;
    const { outcome, count, stored, isTaken, isNew = false } = posted;
    if (outcome === "leased")
      return { outcome, isNew, stored: storedFrom(id, stored, this.#codec, item), epoch: count };
    const added = isTaken === true ? undefined : item;
    return { outcome, stored: () => storedTaskFrom(id, stored, this.#codec, added), count };
  }

  append(appends: readonly Append[]): Promise<readonly Verdict[]> {
    return appendAll(this.#engine, appends);
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return list(this.#engine, scope, query);
  }

  async renew(leases: readonly Lease[], { ttlMs }: Claim): Promise<ReadonlySet<Lease>> {
    const result = await this.#database.call("renew", [
      leases.map(({ id }) => id),
      leases.map(({ epoch }) => epoch),
      leases.map(({ holder }) => holder),
      ttlMs,
    ]);
    const held = new Map((result ?? []) as readonly (readonly [id: string, epoch: number])[]);
    return new Set(leases.filter(({ id, epoch }) => held.get(id) === epoch));
  }

  async claimExpired(claim: Claim, limit: number, everyMs?: number): Promise<Claimed<Leased>> {
    const replied = await this.#claims.make(claim.ttlMs, (call) => {
      const values = [claim.holder, claim.ttlMs, limit, call, this.#claims.lost];
      return everyMs === undefined
        ? this.#database.rowsOf("expired", values)
        : this.#database.rowsOf("search", [...values, everyMs * sharedPart]);
    });
    const searches = replied[0]?.["searches"];
    const againInMs = this.#pace.next(Number(searches), everyMs);
    // A search without a result returns one row with the number of searches.
    const found = replied.filter((row) => row["id"] !== null);
    const rows: Leased[] = [];
    const unreadable: UnreadableTaskError[] = [];
    const parked: Row[] = [];
    for (const row of found)
      if (!collect(unreadable, () => rows.push(this.#leasedOf(row, claim.holder))))
        parked.push(row);
    await this.#park(parked);
    // Fewer rows than `total` are returned if the tasks are large.
    const total = Number(found[0]?.["found"] ?? 0);
    return { rows, unreadable, hasMore: total >= limit || found.length < total, againInMs };
  }

  async putWebhook(
    scope: Scope,
    webhook: Webhook,
    max: number | undefined,
  ): Promise<{ readonly outcome: "put" | "full" | undefined; readonly isDue: boolean }> {
    const { found, isFull, isDue = false } = await outbox.put(this.#engine, scope, webhook, max);
    if (!found) return { outcome: undefined, isDue };
    return { outcome: isFull === true ? "full" : "put", isDue };
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

  delivered(lease: WebhookLease, outcome: Delivery): Promise<boolean> {
    return outbox.settle(this.#engine, lease, outcome);
  }

  deleteExpired(retention: Retention): Promise<number> {
    return deleteExpired(this.#engine, retention);
  }

  async usage({ tenant, owner }: Scope, withStored: boolean): Promise<Usage> {
    // The SQL function `usage` builds this object.
    const found = (await this.#database.call("usage", [
      tenant,
      owner,
      openStates,
      withStored,
    ])) as UsageResult;
    const { storedBytes, ...usage } = found;
    return storedBytes === null ? usage : { ...usage, storedBytes };
  }

  async erase({ tenant, owner, taskId }: ErasureTarget, step: number): Promise<number> {
    return Number(
      await this.#database.call("erase", [tenant, owner ?? null, taskId ?? null, step]),
    );
  }

  mark(name: string, value: string | undefined): Promise<string | undefined> {
    return mark(this.#database, name, value);
  }

  async isEmpty(): Promise<boolean> {
    const { schema } = this.#database;
    const row = await this.#database.row(`SELECT FROM ${schema}.tasks LIMIT 1`, []);
    return row === undefined;
  }

  compact(id: string): Promise<void> {
    return fold(this.#engine, id);
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

  /**
   * Marks unreadable tasks, so that no claim finds them again. Comparing the epoch ensures that a
   * later lease does not change.
   */
  async #park(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#database.rows(
      `UPDATE ${this.#database.schema}.heads t SET holder = NULL, expires = 'infinity'
       FROM unnest($1::text[], $2::bigint[]) r (id, epoch) WHERE t.id = r.id AND t.epoch = r.epoch`,
      [rows.map((row) => row["id"]), rows.map((row) => row["epoch"])],
    );
  }
}
