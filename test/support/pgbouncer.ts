import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { account, noPostgres } from "./postgres.js";
import { temporaryFolder } from "./temporary-folder.js";

const [, major = "", minor = ""] =
  /PgBouncer (\d+)\.(\d+)/.exec(String(spawnSync("pgbouncer", ["--version"]).stdout)) ?? [];

/** Reason why no pooler is available, or `undefined` if it is. */
export const noPgBouncer: string | undefined =
  noPostgres ?? (major === "" ? "PgBouncer is not installed" : undefined);

/** Whether this version of PgBouncer can keep prepared statements. */
export const keepsStatements: boolean = Number(major) > 1 || Number(minor) >= 21;

/** Settings of a pooler that shares few connections, and does not keep prepared statements. */
const fewConnections = [
  "pool_mode = transaction",
  "default_pool_size = 3",
  "max_prepared_statements = 0",
];

/** A PgBouncer of this test's own. By default, it does not keep prepared statements. */
export class PgBouncer {
  readonly #folder = temporaryFolder();
  readonly #server: { readonly folder: string };
  readonly #settings: readonly string[];
  readonly #pools: pg.Pool[] = [];
  #child: ChildProcess | undefined;

  /**
   * Accepts the server, which has a socket in a folder, and lines for the section `[pgbouncer]` of
   * the configuration file.
   */
  constructor(server: { readonly folder: string }, settings: readonly string[] = fewConnections) {
    this.#server = server;
    this.#settings = settings;
  }

  /** Starts the pooler; resolves when it takes connections. */
  async start(): Promise<void> {
    const file = join(this.#folder, "pgbouncer.ini");
    const settings = [
      "[databases]",
      `postgres = host=${this.#server.folder} user=test`,
      "[pgbouncer]",
      "auth_type = any",
      "listen_port = 5432",
      `unix_socket_dir = ${this.#folder}`,
      // Earlier versions do not start with the name of an unknown setting.
      ...this.#settings.filter((line) => keepsStatements || !line.startsWith("max_prepared_")),
    ];
    writeFileSync(file, settings.join("\n"));
    const { uid, gid } = account() ?? {};
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    this.#child = spawn("pgbouncer", [file], { stdio: ["ignore", "ignore", "pipe"], ...account() });
    await isUp(this.#child);
  }

  /** Returns a pool of connections to the pooler. */
  pool(): pg.Pool {
    const pool = new pg.Pool({ host: this.#folder, user: "test", database: "postgres" });
    // The pool reports an error for a connection that was closed, which is expected.
    pool.on("error", () => undefined);
    this.#pools.push(pool);
    return pool;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
    const child = this.#child;
    if (child !== undefined) {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Resolves when the pooler takes connections. */
function isUp({ stderr }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("process up")) resolve();
    });
    stderr?.on("end", () => {
      reject(new Error(`PgBouncer has ended: ${text}`));
    });
  });
}
