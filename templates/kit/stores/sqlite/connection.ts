import { errorOf } from "../../thrown.js";

/** A value in a table, as far as this store has them. */
export type SqliteValue = string | number | null;

/** What a store needs of a database: `DatabaseSync` of `node:sqlite` and `Database` of `better-sqlite3` have it. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** It is called with values of {@link SqliteValue}; libraries have types of their own for these. */
export interface SqliteStatement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown;
}

/** A prepared statement that returns rows of a known shape. */
export interface Query<Row> {
  run(...values: SqliteValue[]): void;
  get(...values: SqliteValue[]): Row | undefined;
  all(...values: SqliteValue[]): readonly Row[];
}

interface Write {
  /** Does it, and returns what tells the caller. */
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** A database in which writes that are called for at about the same time share a transaction, and so a sync. */
export class Connection {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  #writes: Write[] = [];

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Returns a statement, which is prepared once. Its rows have the columns that it selects. */
  query<Row>(sql: string): Query<Row> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    const known = statement;
    return {
      run: (...values) => void known.run(...values),
      // A row has the shape is that of the columns which the statement names. Some libraries return null for none.
      get: (...values) => (known.get(...values) ?? undefined) as Row | undefined,
      all: (...values) => known.all(...values) as readonly Row[],
    };
  }

  /**
   * Does something again as long as another connection has the database locked. Not all that a new file needs waits for
   * locks by itself: two connections that switch the mode of its journal at the same time find it locked at once.
   */
  patiently(withinMs: number, work: () => void): void {
    for (const end = performance.now() + withinMs; ;) {
      try {
        work();
        return;
      } catch (error) {
        if (performance.now() > end || !/database (?:\w+ )?is locked/.test(errorOf(error).message)) throw error;
      }
      this.#awaitOthers();
    }
  }

  /** Waits for the transaction of another connection, as long as a write may wait. */
  #awaitOthers(): void {
    try {
      this.exec("BEGIN IMMEDIATE");
      this.exec("COMMIT");
    } catch {
      // The next attempt says what is wrong.
    }
  }

  /** Reads in one transaction. */
  read<T>(work: () => T): T {
    this.exec("BEGIN");
    try {
      return work();
    } finally {
      this.exec("COMMIT");
    }
  }

  /** Writes, all or nothing. Returns a promise of what `work` returns, once it is on the disk. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, rejectWithError) => {
      // What the work or the database throws is what the caller gets.
      const reject: (error: unknown) => void = rejectWithError;
      const attempt = (): (() => void) => {
        this.exec("SAVEPOINT a2a");
        try {
          const value = work();
          return () => {
            resolve(value);
          };
        } catch (error) {
          this.exec("ROLLBACK TO a2a");
          return () => {
            reject(error);
          };
        } finally {
          this.exec("RELEASE a2a");
        }
      };
      if (this.#writes.push({ attempt, reject }) === 1)
        soon(() => {
          this.#flush();
        });
    });
  }

  #flush(): void {
    const writes = this.#writes;
    this.#writes = [];
    try {
      this.exec("BEGIN IMMEDIATE");
    } catch (error) {
      for (const { reject } of writes) reject(error);
      return;
    }
    try {
      const told = writes.map(({ attempt }) => attempt());
      this.exec("COMMIT");
      for (const tell of told) tell();
    } catch (error) {
      this.#rollBack();
      for (const { reject } of writes) reject(error);
    }
  }

  #rollBack(): void {
    try {
      this.exec("ROLLBACK");
    } catch {
      // After some failures the engine has done so itself.
    }
  }
}

/** Calls a function when what is running now has come to rest, before any timer. */
function soon(call: () => void): void {
  // Not every platform has it, and so it has no type here.
  const { setImmediate } = globalThis as { setImmediate?: (call: () => void) => unknown };
  if (setImmediate === undefined) setTimeout(call, 0);
  else setImmediate(call);
}
