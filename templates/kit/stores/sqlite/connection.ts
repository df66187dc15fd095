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

/** How long a transaction does more writes, in milliseconds. Other processes wait for its end, and so do other calls. */
const transactionMs = 20;

/** Pauses between attempts to begin a transaction, in milliseconds: the first one, which doubles, and the longest. */
const firstPauseMs = 1;
const maxPauseMs = 16;

/** A database in which writes that are called for at about the same time share a transaction, and so a sync. */
export class Connection {
  readonly #database: SqliteDatabase;
  readonly #busyMs: number;
  readonly #statements = new Map<string, SqliteStatement>();
  #writes: Write[] = [];
  /** Whether the next transaction is to come already. */
  #isPlanned = false;

  /** `busyMs` is how long a call waits for the transactions of other connections. */
  constructor(database: SqliteDatabase, busyMs: number) {
    this.#database = database;
    this.#busyMs = Math.trunc(busyMs);
    this.exec(this.#waiting(this.#busyMs));
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
  patiently(work: () => void): void {
    for (const end = performance.now() + this.#busyMs; ;) {
      try {
        work();
        return;
      } catch (error) {
        if (performance.now() > end || !isLocked(error)) throw error;
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
      this.#writes.push({ attempt, reject });
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      soon(() => {
        this.#flush(performance.now() + this.#busyMs, firstPauseMs);
      });
    });
  }

  /** Does the writes that wait. Tries again later, at most until a time, while another connection writes. */
  #flush(until: number, pauseMs: number): void {
    try {
      if (!this.#begin(until)) {
        setTimeout(() => {
          this.#flush(until, Math.min(2 * pauseMs, maxPauseMs));
        }, pauseMs);
        return;
      }
    } catch (error) {
      const refused = this.#writes;
      this.#writes = [];
      this.#isPlanned = false;
      for (const { reject } of refused) reject(error);
      return;
    }
    this.#commit();
    this.#isPlanned = this.#writes.length > 0;
    if (!this.#isPlanned) return;
    // Other processes, and other calls of this one, have their turn.
    setTimeout(() => {
      this.#flush(performance.now() + this.#busyMs, firstPauseMs);
    }, firstPauseMs);
  }

  /**
   * Begins a transaction for writes. Returns `false` if another connection writes, unless a time is over: to wait for it
   * as SQLite does would block the event loop for as long as that takes.
   */
  #begin(until: number): boolean {
    this.query(this.#waiting(0)).get();
    try {
      this.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (performance.now() > until || !isLocked(error)) throw error;
      return false;
    } finally {
      this.query(this.#waiting(this.#busyMs)).get();
    }
  }

  /** Does writes in the transaction that has begun, as many as there is time for, and ends it. */
  #commit(): void {
    const writes = this.#writes;
    this.#writes = [];
    const told: (() => void)[] = [];
    let tried = 0;
    try {
      const end = performance.now() + transactionMs;
      for (const write of writes) {
        if (tried > 0 && performance.now() >= end) break;
        tried += 1;
        told.push(write.attempt());
      }
      this.exec("COMMIT");
      for (const tell of told) tell();
    } catch (error) {
      this.#rollBack();
      for (const { reject } of writes.slice(0, tried)) reject(error);
    }
    if (tried < writes.length) this.#writes = writes.slice(tried);
  }

  /** Returns the statement that says how long SQLite waits for other connections. */
  #waiting(ms: number): string {
    return `PRAGMA busy_timeout = ${String(ms)}`;
  }

  #rollBack(): void {
    try {
      this.exec("ROLLBACK");
    } catch {
      // After some failures the engine has done so itself.
    }
  }
}

/** Whether an error says that another connection has the database locked. */
function isLocked(error: unknown): boolean {
  return /database (?:\w+ )?is locked/.test(errorOf(error).message);
}

/** Calls a function when what is running now has come to rest, before any timer. */
function soon(call: () => void): void {
  // Not every platform has it, and so it has no type here.
  const { setImmediate } = globalThis as { setImmediate?: (call: () => void) => unknown };
  if (setImmediate === undefined) setTimeout(call, 0);
  else setImmediate(call);
}
