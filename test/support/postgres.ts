import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { temporaryFolder } from "./temporary-folder.js";

/** Folders in which Debian and other systems install the server. */
function programs() {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root)
    ? readdirSync(root).sort((one, other) => Number(other) - Number(one))
    : [];
  const folders = [
    ...versions.map((version) => join(root, version, "bin")),
    "/usr/local/bin",
    "/usr/bin",
  ];
  return folders.find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

/** Returns the account of a server, which must not be root. */
export function account(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number(spawnSync("id", [flag, name]).stdout.toString() || NaN),
    );
    if (uid !== undefined && gid !== undefined && !Number.isNaN(uid + gid)) return { uid, gid };
  }
  return undefined;
}

const folderOfPrograms = programs();

/** Reason why no server is available, or `undefined` if it is. */
export const noPostgres: string | undefined =
  folderOfPrograms === undefined
    ? "Postgres is not installed"
    : account() === undefined
      ? "Postgres cannot run as root, and the accounts postgres and nobody do not exist"
      : undefined;

/**
 * A server of this test's own, which listens on a socket in its folder, and pools of connections to
 * it.
 */
export class PostgresServer {
  /** The folder of the server's socket, which is the host of its connections. */
  readonly folder: string = temporaryFolder();
  readonly #settings: readonly string[];
  readonly #pools: pg.Pool[] = [];
  #child: ChildProcess | undefined;

  /**
   * Accepts settings in the format of the configuration. Writes are not synchronized to the disk
   * unless they enable it.
   */
  constructor(...settings: readonly string[]) {
    this.#settings = settings;
  }

  /** Starts the server; resolves when it takes connections. */
  async start(): Promise<void> {
    this.#own();
    const given = ["-D", this.#data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-locale"];
    execFileSync(join(folderOfPrograms ?? "", "initdb"), [...given, "-N"], this.#options);
    await this.#run();
  }

  /**
   * Starts the server as a standby server with a name, which copies another server and then follows
   * it; resolves when it takes connections for reading.
   */
  async startAsStandby(primary: PostgresServer, name: string): Promise<void> {
    this.#own();
    const connection = connectionTo(primary, name);
    // The copy connects through the settings that it writes.
    execFileSync(
      join(folderOfPrograms ?? "", "pg_basebackup"),
      ["-D", this.#data, "-d", connection, "-R", "-X", "stream", "-c", "fast", "--no-sync"],
      this.#options,
    );
    await this.#run();
  }

  /** Lets a standby server with a name follow another primary. */
  async follow(primary: PostgresServer, name: string): Promise<void> {
    await this.sql(`ALTER SYSTEM SET primary_conninfo = '${connectionTo(primary, name)}'`);
    await this.sql("SELECT pg_reload_conf()");
  }

  /** Makes a standby server the primary; resolves when it accepts writes. */
  async promote(): Promise<void> {
    await this.sql("SELECT pg_promote(true, 60)");
  }

  /** Kills all processes of the server at once, as if its machine failed. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    this.#child = undefined;
    const ended = once(child, "exit");
    // A stopped process starts no others.
    child.kill("SIGSTOP");
    for (const process of childrenOf(child.pid)) signal(process, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
  }

  /** Ends the connections of the standby servers that follow this server. */
  async cutOffStandbys(): Promise<void> {
    await this.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_replication");
  }

  /** Stops or continues the process of a standby server that receives data from its primary. */
  async signalReceiver(name: "SIGSTOP" | "SIGCONT"): Promise<void> {
    const { rows } = await this.sql("SELECT pid FROM pg_stat_wal_receiver");
    for (const { pid } of rows as { readonly pid: number }[]) signal(pid, name);
  }

  /** A connection string of the server. */
  get url(): string {
    return `postgres://test@localhost/postgres?host=${encodeURIComponent(this.folder)}`;
  }

  /** The path of the socket that the server listens on. */
  get socket(): string {
    return join(this.folder, ".s.PGSQL.5432");
  }

  /** Stops the server, by shutdown or crash, and starts it again. */
  async restart(how: "orderly" | "crash"): Promise<void> {
    await this.down(how);
    await this.up();
  }

  /** Ends the server, which {@link up} starts again. */
  async down(how: "orderly" | "crash" = "orderly"): Promise<void> {
    await this.#end(how === "crash" ? "SIGQUIT" : "SIGINT");
  }

  async up(): Promise<void> {
    await this.#run();
  }

  /** Returns a pool of at most `max` connections to a database of the server. */
  pool(user = "test", database = "postgres", max = 10): pg.Pool {
    const pool = new pg.Pool({ host: this.folder, user, database, max });
    // The pool reports an error for a connection that the server closed, which is expected.
    pool.on("error", () => undefined);
    this.#pools.push(pool);
    return pool;
  }

  /** Runs a statement. */
  async sql(statement: string): Promise<pg.QueryResult> {
    const [pool = this.pool()] = this.#pools;
    return pool.query(statement);
  }

  /** Returns the output of `pg_dump` for a database. */
  dump(database: string): string {
    const given = ["-h", this.folder, "-U", "test", database];
    return execFileSync(join(folderOfPrograms ?? "", "pg_dump"), given, { encoding: "utf8" });
  }

  /** Runs the output of `pg_dump` in a database. */
  restore(database: string, dump: string): void {
    const given = ["-h", this.folder, "-U", "test", "-q", "-v", "ON_ERROR_STOP=1", database];
    execFileSync(join(folderOfPrograms ?? "", "psql"), given, { input: dump });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
    await this.#end("SIGINT");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Gives the folder to the account of the server. */
  #own(): void {
    const { uid, gid } = account() ?? {};
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  get #options() {
    return { cwd: this.folder, stdio: "ignore", ...account() } as const;
  }

  async #run(): Promise<void> {
    const settings = [
      "listen_addresses=",
      `unix_socket_directories=${this.folder}`,
      "fsync=off",
      ...this.#settings,
    ];
    const given = ["-D", this.#data, ...settings.flatMap((each) => ["-c", each])];
    this.#child = spawn(join(folderOfPrograms ?? "", "postgres"), given, this.#options);
    await this.#started();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  async #started(): Promise<void> {
    const ended =
      this.#child &&
      once(this.#child, "exit").then(() => Promise.reject(new Error("Postgres has ended")));
    ended?.catch(() => undefined);
    for (;;) {
      const pool = new pg.Client({ host: this.folder, user: "test", database: "postgres" });
      const isUp = pool.connect().then(
        () => true,
        () => false,
      );
      if ((await Promise.race([isUp, ended])) === true) {
        await pool.end();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Returns the connection of a standby server with a name to its primary. */
function connectionTo({ folder }: PostgresServer, name: string): string {
  return `host=${folder} user=test application_name=${name}`;
}

/** Returns the ids of the processes that a process has started. */
function childrenOf(pid: number): readonly number[] {
  const rows = spawnSync("ps", ["-A", "-o", "pid=,ppid="]).stdout.toString().split("\n");
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** Sends a signal to a process, unless it has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
