import { Codec, type Encryption } from "./log/codec.js";
import { type ClosableStore, LogStore } from "./log/log-store.js";
import { Alarm } from "./sqlite/alarm.js";
import { FileConnection, type SqliteDatabase } from "./sqlite/connection.js";
import { SqliteLogs } from "./sqlite/logs.js";
import { ObjectConnection, type ObjectStorage } from "./sqlite/object-connection.js";
import { ObjectStore } from "./sqlite/object-store.js";
import { checkEngine, migrate } from "./sqlite/schema.js";

export type { Encryption, SealContext } from "./log/codec.js";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite/connection.js";
export type { ObjectStorage } from "./sqlite/object-connection.js";
export { sqliteSchema } from "./sqlite/schema.js";

/** Options for {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * Whether writes survive a power failure, and not only a crash of the process; `true` by default.
   * With `false`, writes are several times as fast.
   */
  readonly durable?: boolean;
  /**
   * Interval in milliseconds at which the store polls for writes by other processes; 20 by default.
   */
  readonly pollMs?: number;
  /**
   * Maximum time in milliseconds that a write waits for writes by other processes; 5,000 by
   * default.
   */
  readonly busyMs?: number;
  /**
   * Returns the time in milliseconds since 1970; `Date.now` by default, which is also the clock of
   * SQLite.
   */
  readonly now?: () => number;
  /** Encrypts the content of tasks in the file. */
  readonly encryption?: Encryption;
}

/** A task store in SQLite. The database stays open when the store is closed. */
export type SqliteStore = ClosableStore;

/**
 * Returns a store that keeps tasks in a SQLite database. All processes on one machine can share the
 * file. Creates the tables, or upgrades the tables of an earlier version.
 * @param database A `DatabaseSync` of `node:sqlite` or a `Database` of `better-sqlite3`. No other
 *   code may open a transaction on this connection.
 * @throws Errors of the database, and an `Error` if SQLite is too old, or if a later version of
 *   this store created the tables.
 *
 * @example
 * const store = sqliteStore(new DatabaseSync("tasks.db"));
 */
export function sqliteStore(
  database: SqliteDatabase,
  options: SqliteStoreOptions = {},
): SqliteStore {
  const { durable = true, busyMs = 5_000, pollMs = 20, now = Date.now, encryption } = options;
  const connection = new FileConnection(database, busyMs);
  connection.retryWhileLocked(() => {
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    checkEngine(connection);
    migrate(connection);
  });
  const codec = new Codec(encryption);
  const logs = new SqliteLogs(connection, codec, now);
  const store: SqliteStore = new LogStore(logs, codec, {
    read: (id, after) => logs.batch(id, after),
    readState: (ids) => logs.readState(ids),
    version: () => connection.version(),
    pollMs,
  });
  // The store returns the tasks that it was given, so they have the types of the output.
  return store;
}

/** Options for {@link durableObjectStore}. */
export interface DurableObjectStoreOptions {
  /** Returns the time in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
  /** Encrypts the content of tasks in the database. */
  readonly encryption?: Encryption;
}

/**
 * Returns a store that keeps tasks in the SQLite database of a Durable Object of Cloudflare.
 * Creates the tables, or upgrades the tables of an earlier version. The store sets the alarm of the
 * object for the next time at which it has work, and `alarm` of the object calls
 * `service.workDue()`.
 * @param storage `ctx.storage` of a Durable Object whose class is in `new_sqlite_classes`. An object
 *   creates one store in its constructor, and sets no other alarm.
 * @throws Errors of the database, and an `Error` if a later version of this store created the
 *   tables.
 *
 * @example
 * const service = taskService({ ...behavior, store: durableObjectStore(ctx.storage) });
 */
export function durableObjectStore(
  storage: ObjectStorage,
  options: DurableObjectStoreOptions = {},
): ClosableStore {
  const { now = Date.now, encryption } = options;
  const connection = new ObjectConnection(storage, () => {
    alarm.update();
  });
  migrate(connection);
  // If the platform cannot store the alarm, it also discards the write, and restarts the object.
  const alarm = new Alarm({ connection, now, set: (time) => void storage.setAlarm(time) });
  const codec = new Codec(encryption);
  return new ObjectStore(new SqliteLogs(connection, codec, now), codec, alarm);
}
