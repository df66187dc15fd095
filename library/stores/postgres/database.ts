import { isObject } from "../../runtime/base/json.js";
import { checkName, postgresSchema, schemaVersion } from "./schema.js";

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

/** Pools that already have an error listener. */
const poolsWithListener = new WeakSet<PostgresPool>();

function majorVersionOf(version: number): string {
  return String(Math.floor(version / 10_000));
}

/** A database whose tables are created before the first call. */
export class Database {
  readonly schema: string;
  readonly #pool: PostgresPool;
  /** Part of each statement that sets whether the transaction waits for the disk. */
  readonly #commitSetting: string;
  #ready: Promise<void> | undefined;

  /**
   * Creates a database that uses one schema. Does not connect to the server yet.
   * @throws A `TypeError` if the schema is not a valid name.
   */
  constructor(pool: PostgresPool, schema: string, survivesPowerLoss = true) {
    checkName(schema);
    this.#pool = pool;
    this.schema = schema;
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
    const rows = await this.rows(
      `SELECT ${this.schema}.${name}(${placeholdersOf(values)})::text AS result` +
        this.#commitSetting,
      values,
    );
    const result = rows[0]?.["result"];
    return typeof result === "string" ? result : undefined;
  }

  /** Calls a function of the schema that returns rows. */
  rowsOf(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.rows(
      `SELECT * FROM ${this.schema}.${name}(${placeholdersOf(values)})${this.#commitSetting}`,
      values,
    );
  }

  /** Parses the JSON in the column `result` of the only row of a query. */
  async query(sql: string, values: readonly unknown[]): Promise<unknown> {
    const result = (await this.rows(sql, values))[0]?.["result"];
    return typeof result === "string" ? JSON.parse(result) : undefined;
  }

  /** Returns the rows of a query. */
  async rows(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    await this.#prepare();
    const { rows } = await this.#pool.query(sql, values.map(withoutNul));
    return rows.filter((row) => isObject(row));
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
    const version = await this.#version();
    if (version === schemaVersion) return;
    if (version > schemaVersion)
      throw new Error(
        `The schema ${this.schema} has version ${String(version)}, but this store supports ` +
          `version ${String(schemaVersion)}: update the store`,
      );
    await this.#pool.query(postgresSchema(this.schema));
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

  /** Returns the version of the tables, or 0 if they do not exist. */
  async #version(): Promise<number> {
    const table = `${this.schema}.version`;
    const found = await this.#value(`SELECT to_regclass('${table}')::text AS found`, "found");
    return found === null
      ? 0
      : Number((await this.#value(`SELECT version FROM ${table}`, "version")) ?? 0);
  }

  /** Returns a column of the first row of a query, or `undefined` if the query returns no rows. */
  async #value(sql: string, column: string): Promise<unknown> {
    const [row] = (await this.#pool.query(sql)).rows;
    return isObject(row) ? row[column] : undefined;
  }
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
