import { errorOf } from "../../kit/thrown.js";
import { soon } from "../../kit/timer.js";

/** A column value that this store uses. */
export type SqliteValue = string | number | null;

/**
 * The methods of a database that the store calls. `DatabaseSync` of `node:sqlite` and `Database` of
 * `better-sqlite3` have these methods.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/**
 * A prepared statement, called with values of type {@link SqliteValue}. Libraries declare their own
 * types for values.
 */
export interface SqliteStatement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown;
}

/** A prepared statement that returns rows of a known type. */
export interface Query<Row> {
  run(...values: SqliteValue[]): void;
  get(...values: SqliteValue[]): Row | undefined;
  all(...values: SqliteValue[]): readonly Row[];
}

/** The database as the parts of the store use it. */
export interface Connection {
  /** Maximum length of a text in UTF-16 code units; `Infinity` for an unlimited length. */
  readonly maxText: number;
  exec(sql: string): void;
  /** Returns a prepared statement. `Row` must be the type of the selected columns. */
  query<Row>(sql: string): Query<Row>;
  /** Runs `work` in a transaction, without waiting for other writes of this connection. */
  transaction(work: () => void): void;
  /** Runs reads in one transaction. */
  read<T>(work: () => T): T;
  /**
   * Runs `work` in a transaction that commits or rolls back as a whole. After the commit, resolves
   * to the result of `work`.
   */
  write<T>(work: () => T): Promise<T>;
}

interface Write {
  /** Runs the write, and returns a function that settles the promise of the write's caller. */
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Milliseconds after which a transaction does not accept further writes, because other processes
 * and other calls wait for its end.
 */
const transactionMs = 20;

/**
 * Pauses between attempts to begin a transaction, in milliseconds: the initial pause, which doubles
 * with each attempt, and the maximum.
 */
const firstPauseMs = 1;
const maxPauseMs = 16;

/**
 * A connection to a file that several processes may share. Concurrent writes share a transaction,
 * and therefore one sync to disk.
 */
export class FileConnection implements Connection {
  readonly maxText: number = Infinity;
  readonly #database: SqliteDatabase;
  readonly #busyMs: number;
  readonly #statements = new Map<string, SqliteStatement>();
  #writes: Write[] = [];
  /** Whether the next transaction is already scheduled. */
  #isPlanned = false;

  /**
   * Creates a connection.
   * @param busyMs Maximum time in milliseconds that a call waits for transactions of other
   *   connections.
   */
  constructor(database: SqliteDatabase, busyMs: number) {
    this.#database = database;
    this.#busyMs = Math.trunc(busyMs);
    this.exec(this.#busyTimeout(this.#busyMs));
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * Returns a prepared statement. Each statement is prepared only once. `Row` must be the type of
   * the selected columns.
   */
  query<Row>(sql: string): Query<Row> {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return {
      run: (...values) => void statement.run(...values),
      // The selected columns determine the type of a row. Some libraries return null for a missing
      // row.
      get: (...values) => (statement.get(...values) ?? undefined) as Row | undefined,
      all: (...values) => statement.all(...values) as readonly Row[],
    };
  }

  /**
   * Returns a number that changes with each transaction of another connection; `undefined` if it
   * cannot be read.
   */
  version(): number | undefined {
    try {
      return this.query<{ readonly data_version: number }>("PRAGMA data_version").get()
        ?.data_version;
    } catch {
      // Ignore the error of an unreadable database, because calls to the store report it to their
      // callers.
      return undefined;
    }
  }

  /**
   * Runs `work`, and retries it while another connection has locked the database. SQLite itself
   * does not wait in all cases. For example, if two connections switch the journal mode of a new
   * file at the same time, one of them fails immediately.
   */
  retryWhileLocked(work: () => void): void {
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

  /** Waits for another connection's transaction to end, at most until the busy time-out. */
  #awaitOthers(): void {
    try {
      this.exec("BEGIN IMMEDIATE");
      this.exec("COMMIT");
    } catch {
      // Ignore the error, because the next attempt reports it.
    }
  }

  transaction(work: () => void): void {
    this.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Runs reads in one transaction. */
  read<T>(work: () => T): T {
    this.exec("BEGIN");
    try {
      return work();
    } finally {
      this.exec("COMMIT");
    }
  }

  /**
   * Runs `work` in a transaction that commits or rolls back as a whole. After the commit, resolves
   * to the result of `work`.
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, rejectWithError) => {
      // Reject with the original value, because a callback or the database may throw any type.
      const reject: (error: unknown) => void = rejectWithError;
      const attempt = (): (() => void) => {
        // Writes of several callers share a transaction. Each write has a savepoint, so that a
        // failed write does not undo other writes.
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

  /** Runs the waiting writes. While another connection is writing, retries until the deadline. */
  #flush(deadline: number, pauseMs: number): void {
    try {
      if (!this.#begin(deadline)) {
        setTimeout(() => {
          this.#flush(deadline, Math.min(2 * pauseMs, maxPauseMs));
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
    // Pause, so that other processes and other calls of this process can run.
    setTimeout(() => {
      this.#flush(performance.now() + this.#busyMs, firstPauseMs);
    }, firstPauseMs);
  }

  /**
   * Begins a transaction for writes. If another connection is writing and time is left, returns
   * `false` instead of waiting, because waiting in SQLite would block the event loop.
   */
  #begin(deadline: number): boolean {
    this.query(this.#busyTimeout(0)).get();
    try {
      this.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (performance.now() > deadline || !isLocked(error)) throw error;
      return false;
    } finally {
      this.query(this.#busyTimeout(this.#busyMs)).get();
    }
  }

  /**
   * Runs waiting writes in the open transaction until `transactionMs` have passed, and then
   * commits.
   */
  #commit(): void {
    const writes = this.#writes;
    this.#writes = [];
    const settlements: (() => void)[] = [];
    let attempted = 0;
    try {
      const end = performance.now() + transactionMs;
      for (const write of writes) {
        // The first write always runs, so that every transaction makes progress.
        if (attempted > 0 && performance.now() >= end) break;
        attempted += 1;
        settlements.push(write.attempt());
      }
      this.exec("COMMIT");
      // Settle the promises only after the commit. Before the commit, a crash could still lose the
      // writes.
      for (const settle of settlements) settle();
    } catch (error) {
      this.#rollBack();
      // If the commit fails, none of the writes takes effect, so all callers get the error.
      for (const { reject } of writes.slice(0, attempted)) reject(error);
    }
    if (attempted < writes.length) this.#writes = writes.slice(attempted);
  }

  /** Returns the statement that sets how long SQLite waits for other connections. */
  #busyTimeout(ms: number): string {
    return `PRAGMA busy_timeout = ${String(ms)}`;
  }

  #rollBack(): void {
    try {
      this.exec("ROLLBACK");
    } catch {
      // Ignore the error, because SQLite has already rolled back after some errors.
    }
  }
}

/** Returns whether an error means that another connection has locked the database. */
function isLocked(error: unknown): boolean {
  return /database (?:\w+ )?is locked/.test(errorOf(error).message);
}
