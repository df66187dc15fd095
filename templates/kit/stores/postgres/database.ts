import { isObject } from "../../../runtime/base/json.js";
import { checkName, postgresSchema, schemaVersion } from "./schema.js";

/** What a store needs of a pool: that of `pg` has it. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Lends a connection of its own, for notifications. */
  connect(): Promise<PostgresClient>;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** A connection that a pool lends. */
export interface PostgresClient {
  query(text: string): Promise<unknown>;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  /** Gives it back to the pool, which closes it where this is told to. */
  release(close?: boolean): void;
}

/** The first version of Postgres whose SQL has all that the functions use, as servers number it. */
const oldest = 120_000;

/** Pools whose errors have a listener. */
const heard = new WeakSet<PostgresPool>();

function shown(version: number): string {
  return String(Math.floor(version / 10_000));
}

/** A database whose tables are made before the first call. */
export class Database {
  readonly schema: string;
  readonly #pool: PostgresPool;
  #ready: Promise<void> | undefined;

  /** Throws a `TypeError` for a schema whose name is more than letters, digits and underscores. */
  constructor(pool: PostgresPool, schema: string) {
    checkName(schema);
    this.#pool = pool;
    this.schema = schema;
    // A pool of `pg` whose idle connection was cut ends the process where nobody listens. The next call has another one.
    if (!heard.has(pool)) pool.on?.("error", () => undefined);
    heard.add(pool);
  }

  /** Calls a function of the schema; resolves to the JSON that it returns. */
  async call(name: string, values: readonly unknown[]): Promise<unknown> {
    const result = await this.textOf(name, values);
    return result === undefined ? undefined : JSON.parse(result);
  }

  /** Calls a function of the schema; resolves to the text that it returns, and `undefined` for none. */
  async textOf(name: string, values: readonly unknown[]): Promise<string | undefined> {
    const rows = await this.rows(`SELECT ${this.schema}.${name}(${placesOf(values)})::text AS result`, values);
    const result = rows[0]?.["result"];
    return typeof result === "string" ? result : undefined;
  }

  /** Calls a function of the schema that returns rows. */
  rowsOf(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.rows(`SELECT * FROM ${this.schema}.${name}(${placesOf(values)})`, values);
  }

  /** Resolves to the JSON in the column `result` of the only row of a query. */
  async query(sql: string, values: readonly unknown[]): Promise<unknown> {
    const result = (await this.rows(sql, values))[0]?.["result"];
    return typeof result === "string" ? JSON.parse(result) : undefined;
  }

  /** Resolves to the rows of a query. */
  async rows(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    await this.#open();
    const { rows } = await this.#pool.query(sql, values.map(textOf));
    return rows.filter((row) => isObject(row));
  }

  /** Resolves to the first row of a query, if any. */
  async row(sql: string, values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.rows(sql, values)).at(0);
  }

  /** Makes the tables where they are not there. After a failure the next call tries again. */
  #open(): Promise<void> {
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
        `The schema ${this.schema} has version ${String(version)}, and this store knows version ${String(schemaVersion)}: update it`,
      );
    await this.#pool.query(postgresSchema(this.schema));
  }

  /** Throws an `Error` where the server is too old for what the functions use. */
  async #checkServer(): Promise<void> {
    const version = Number(await this.#value("SHOW server_version_num", "server_version_num"));
    if (version < oldest)
      throw new Error(`This store needs Postgres ${shown(oldest)} or later, and the server is ${shown(version)}`);
  }

  /** Returns the version of the tables; 0 where there are none. */
  async #version(): Promise<number> {
    const table = `${this.schema}.version`;
    const found = await this.#value(`SELECT to_regclass('${table}')::text AS found`, "found");
    return found === null ? 0 : Number((await this.#value(`SELECT version FROM ${table}`, "version")) ?? 0);
  }

  /** Returns a column of the first row of a query; `undefined` where there is none. */
  async #value(sql: string, column: string): Promise<unknown> {
    const [row] = (await this.#pool.query(sql)).rows;
    return isObject(row) ? row[column] : undefined;
  }
}

function placesOf(values: readonly unknown[]): string {
  return values.map((_, at) => `$${String(at + 1)}`).join(", ");
}

/** Returns a value as Postgres can have it: its text has no NUL. JSON has none, and ids are no longer to be found. */
function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textOf);
  // A search costs a small part of a copy, and texts may have megabytes.
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
