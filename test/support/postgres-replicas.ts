import { chmodSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { PostgresServer } from "./postgres.js";
import { temporaryFolder } from "./temporary-folder.js";

/** A primary with two standby servers, and an address that leads to the current primary. */
export class PostgresReplicas {
  readonly primary: PostgresServer;
  readonly standbys: readonly { readonly name: string; readonly server: PostgresServer }[];
  /** The folder of a socket that leads to the current primary. */
  readonly folder: string = temporaryFolder();
  readonly #pools: pg.Pool[] = [];

  /** Accepts settings of all servers in the format of the configuration. */
  constructor(settings: readonly string[]) {
    this.primary = new PostgresServer(...settings);
    this.standbys = ["one", "two"].map((name) => ({
      name,
      server: new PostgresServer(...settings),
    }));
  }

  /** Starts the servers; resolves when the primary accepts writes and both others follow it. */
  async start(): Promise<void> {
    // Poolers with another account connect through the folder.
    chmodSync(this.folder, 0o755);
    await this.primary.start();
    for (const { name, server } of this.standbys) await server.startAsStandby(this.primary, name);
    this.#leadTo(this.primary);
  }

  /** Returns a pool of connections to the current primary. */
  pool(): pg.Pool {
    const pool = new pg.Pool({ host: this.folder, user: "test", database: "postgres", max: 5 });
    // The failover ends the connections of the pool.
    pool.on("error", () => undefined);
    this.#pools.push(pool);
    return pool;
  }

  /**
   * Promotes the standby server that has received the most data, as a tool for failover does. Lets
   * the other standby server follow it, and leads the address to it.
   */
  async failOver(): Promise<void> {
    const received = await Promise.all(
      this.standbys.map(async ({ name, server }) => {
        const { rows } = await server.sql(
          "SELECT (pg_last_wal_receive_lsn() - '0/0')::text AS bytes",
        );
        const [{ bytes } = { bytes: "0" }] = rows as { readonly bytes: string }[];
        return { name, server, bytes: Number(bytes) };
      }),
    );
    const [newest, ...others] = received.toSorted((one, other) => other.bytes - one.bytes);
    if (newest === undefined) throw new Error("No standby server is left");
    await newest.server.promote();
    for (const { name, server } of others) await server.follow(newest.server, name);
    this.#leadTo(newest.server);
  }

  /** Stops all servers and closes all pools. */
  async stop(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
    await Promise.all(
      [this.primary, ...this.standbys.map(({ server }) => server)].map((server) => server.stop()),
    );
  }

  /** Leads the address to a server, in one step. */
  #leadTo(server: PostgresServer): void {
    const link = join(this.folder, ".s.PGSQL.5432");
    symlinkSync(server.socket, `${link}.new`);
    renameSync(`${link}.new`, link);
  }
}
