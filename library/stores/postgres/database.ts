import { errorOf } from "../../kit/thrown.js";
import { log } from "../../runtime/base/async.js";
import { isObject } from "../../runtime/base/json.js";
import { checkName, currentCode, migrationOf, schemaVersion } from "./schema.js";

/** The methods of a `pg` pool that the store calls. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Returns a dedicated connection, for notifications. */
  connect(): Promise<PostgresClient>;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** The result of a query: the part of `pg` that the store reads. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** A `Pool` of `pg`, which accepts named statements. Other pools only get texts. */
interface PreparingPool {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<PostgresResult>;
  readonly totalCount: number;
}

/** A row, with its values by column name. */
export type Row = Readonly<Record<string, unknown>>;

/** A connection of a pool. */
export interface PostgresClient {
  query(text: string): Promise<unknown>;
  on(
    event: "notification",
    listener: (message: { readonly payload?: string | undefined }) => void,
  ): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  /**
   * Returns the connection to the pool. If the argument is `true`, the pool closes the connection.
   */
  release(close?: boolean): void;
}

/** Oldest supported version of Postgres, in the form of `server_version_num`. */
const oldestVersion = 120_000;

/** Number of bytes of a statement's name that Postgres compares. */
const maxNameLength = 63;

/**
 * Codes of the errors by which a server refuses a named statement without executing it: the
 * connection has no statement with this name, or already has one.
 */
const nameErrors: readonly unknown[] = ["26000", "42P05"];

/** Pools that already have an error listener. */
const poolsWithListener = new WeakSet<PostgresPool>();

function majorVersionOf(version: number): string {
  return String(Math.floor(version / 10_000));
}

/** Options for {@link Database}. */
interface DatabaseOptions {
  readonly survivesPowerLoss?: boolean | undefined;
  /** Whether to prepare statements once for each connection, if the pool is able to. */
  readonly prepare?: boolean | undefined;
}

/** A database whose tables are created before the first call. */
export class Database {
  readonly schema: string;
  readonly #pool: PostgresPool;
  /** Part of each statement that sets whether the transaction waits for the disk. */
  readonly #commitSetting: string;
  /** The pool, if statements with a name are prepared once for each connection. */
  #preparing: PreparingPool | undefined;
  /** Beginning of the names of statements. Statements with different texts have different names. */
  readonly #names: string;
  readonly #calls = new Map<string, string>();
  #ready: Promise<void> | undefined;

  /**
   * Creates a database that uses one schema. Does not connect to the server yet.
   * @throws A `TypeError` if the schema is not a valid name.
   */
  constructor(
    pool: PostgresPool,
    schema: string,
    { survivesPowerLoss = true, prepare = true }: DatabaseOptions = {},
  ) {
    checkName(schema);
    this.#pool = pool;
    this.schema = schema;
    this.#preparing = prepare && isPreparing(pool) ? pool : undefined;
    this.#names = `a2a${String(schemaVersion)}${survivesPowerLoss ? "" : "a"} ${schema} `;
    this.#commitSetting = survivesPowerLoss
      ? ""
      : ", set_config('synchronous_commit', 'off', true)";
    // A `pg` pool without an error listener crashes the process if an idle connection breaks. The
    // next call reconnects.
    if (!poolsWithListener.has(pool)) pool.on?.("error", () => undefined);
    poolsWithListener.add(pool);
  }

  /** Calls a function of the schema, and parses the JSON that it returns. */
  async call(name: string, values: readonly unknown[]): Promise<unknown> {
    const result = await this.textOf(name, values);
    return result === undefined ? undefined : JSON.parse(result);
  }

  /** Calls a function of the schema, and returns its text, or `undefined` for null. */
  async textOf(name: string, values: readonly unknown[]): Promise<string | undefined> {
    const sql = this.#callOf(name, values, (call) => `SELECT ${call}::text AS result`);
    const result = (await this.rows(sql, values, name))[0]?.["result"];
    return typeof result === "string" ? result : undefined;
  }

  /** Calls a function of the schema that returns rows. */
  rowsOf(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const sql = this.#callOf(name, values, (call) => `SELECT * FROM ${call}`);
    return this.rows(sql, values, name);
  }

  /** Returns the SQL that calls a function. */
  #callOf(name: string, values: readonly unknown[], sqlOf: (call: string) => string): string {
    const known = this.#calls.get(name);
    if (known !== undefined) return known;
    const call = `${this.schema}.${name}(${placeholdersOf(values)})`;
    const sql = sqlOf(call) + this.#commitSetting;
    this.#calls.set(name, sql);
    return sql;
  }

  /** Parses the JSON in the column `result` of the only row of a query. */
  async query(sql: string, values: readonly unknown[]): Promise<unknown> {
    const result = (await this.rows(sql, values))[0]?.["result"];
    return typeof result === "string" ? JSON.parse(result) : undefined;
  }

  /**
   * Returns the rows of a query.
   * @param name Name of a query that each connection prepares once. A query with the same name must
   *   have the same SQL. Only name queries for which one plan is suitable for all values, such as
   *   calls of functions.
   */
  async rows(sql: string, values: readonly unknown[], name?: string): Promise<readonly Row[]> {
    await this.#prepare();
    const { rows } = await this.#send(sql, values.map(withoutNul), name);
    return rows.filter((row) => isObject(row));
  }

  /** Executes several statements without values in one transaction. */
  async execute(sql: string): Promise<void> {
    await this.#prepare();
    await this.#pool.query(sql);
  }

  async #send(sql: string, values: unknown[], name?: string): Promise<PostgresResult> {
    const fullName = name === undefined ? undefined : this.#names + name;
    if (this.#preparing !== undefined && fullName !== undefined && fullName.length <= maxNameLength)
      try {
        return await this.#preparing.query({ name: fullName, text: sql, values });
      } catch (error) {
        if (!isObject(error) || !nameErrors.includes(error["code"])) throw error;
        this.#endPreparing(errorOf(error));
      }
    return this.#pool.query(sql, values);
  }

  /** Stops naming statements, because the pooler between the pool and the server mixes them up. */
  #endPreparing({ message }: Error): void {
    if (this.#preparing === undefined) return;
    this.#preparing = undefined;
    log(
      `Postgres: the connections do not keep prepared statements (${message}), so the store ` +
        "continues without them. If the pooler supports them, enable them, such as by " +
        "`max_prepared_statements` in PgBouncer. Otherwise, set the option `prepare` of the store " +
        "to false",
    );
  }

  /** Returns the first row of a query, if any. */
  async row(sql: string, values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.rows(sql, values)).at(0);
  }

  /** Creates or upgrades the tables once. After a failure, the next call retries. */
  #prepare(): Promise<void> {
    this.#ready ??= this.#migrate().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #migrate(): Promise<void> {
    await this.#checkServer();
    const { version, oldest = version } = await this.#version();
    // A later release has updated the tables, but this release may still use them.
    if (version >= schemaVersion && oldest <= schemaVersion) return;
    if (version > schemaVersion)
      throw new Error(
        `The schema ${this.schema} has version ${String(version)}, but this store supports ` +
          `version ${String(schemaVersion)}: update the store`,
      );
    await this.#pool.query(migrationOf(this.schema)).catch((error: unknown) => {
      if (!isObject(error) || error["code"] !== currentCode) throw error;
    });
  }

  /**
   * Checks the version of the server.
   * @throws An `Error` if the server is too old for the functions.
   */
  async #checkServer(): Promise<void> {
    const version = Number(await this.#value("SHOW server_version_num", "server_version_num"));
    if (version < oldestVersion)
      throw new Error(
        `The store requires Postgres ${majorVersionOf(oldestVersion)} or later, but the server ` +
          `has version ${majorVersionOf(version)}`,
      );
  }

  /**
   * Returns the version of the tables, or 0 if they do not exist, and the oldest version of the
   * store that may use them.
   */
  async #version(): Promise<{ readonly version: number; readonly oldest?: number }> {
    const table = `${this.schema}.version`;
    const found = await this.#value(`SELECT to_regclass('${table}')::text AS found`, "found");
    // Earlier tables do not have both columns.
    const row =
      found === null ? null : await this.#value(`SELECT to_json(v) AS row FROM ${table} v`, "row");
    const columns: Row = isObject(row) ? row : {};
    const { version = 0, oldest } = columns;
    return { version: Number(version), ...(typeof oldest === "number" && { oldest }) };
  }

  /** Returns a column of the first row of a query, or `undefined` if the query returns no rows. */
  async #value(sql: string, column: string): Promise<unknown> {
    const [row] = (await this.#pool.query(sql)).rows;
    return isObject(row) ? row[column] : undefined;
  }
}

/** Returns whether a pool is a `Pool` of `pg`, and not another object with the same methods. */
function isPreparing(pool: PostgresPool): pool is PostgresPool & PreparingPool {
  return "totalCount" in pool && typeof pool.totalCount === "number";
}

function placeholdersOf(values: readonly unknown[]): string {
  return values.map((_, at) => `$${String(at + 1)}`).join(", ");
}

/**
 * Returns a value without NUL characters, which Postgres cannot store in text. JSON does not
 * contain NUL characters, and an id with a replaced NUL character does not match a stored id.
 */
function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul);
  // Search before copying, because a search takes much less time and texts may contain megabytes.
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\ufffd")
    : value;
}
