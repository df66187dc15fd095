import type { Connection, Query, SqliteValue } from "./connection.js";

/** The members of `ctx.storage` of a Durable Object that the store calls. */
export interface ObjectStorage {
  readonly sql: {
    exec(query: string, ...bindings: SqliteValue[]): { toArray(): unknown[] };
  };
  transactionSync<T>(work: () => T): T;
  setAlarm(time: number): Promise<void>;
}

/**
 * Maximum length of a text in UTF-16 code units. Cloudflare limits a value to 2 MB, and a code unit
 * takes at most 3 bytes.
 */
const maxText = 600_000;

/**
 * The database of a Durable Object. Only one object, on one thread, uses it, and its statements are
 * synchronous. The platform sends no response before the writes of the object are durable.
 */
export class ObjectConnection implements Connection {
  readonly maxText: number = maxText;
  readonly #storage: ObjectStorage;
  readonly #onWrite: () => void;

  /**
   * Creates a connection.
   * @param onWrite Called after each write, before its promise is settled. Must not throw.
   */
  constructor(storage: ObjectStorage, onWrite: () => void) {
    this.#storage = storage;
    this.#onWrite = onWrite;
  }

  exec(sql: string): void {
    this.#storage.sql.exec(sql).toArray();
  }

  query<Row>(sql: string): Query<Row> {
    // The platform keeps the statement prepared. The selected columns determine the type of a row.
    const rowsOf = (values: readonly SqliteValue[]): readonly Row[] =>
      this.#storage.sql.exec(sql, ...values).toArray() as readonly Row[];
    return {
      run: (...values) => void rowsOf(values),
      get: (...values) => rowsOf(values)[0],
      all: (...values) => rowsOf(values),
    };
  }

  transaction(work: () => void): void {
    this.#storage.transactionSync(work);
  }

  read<T>(work: () => T): T {
    return work();
  }

  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      const value = this.#storage.transactionSync(work);
      this.#onWrite();
      resolve(value);
    });
  }
}
