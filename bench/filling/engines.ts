import { Redis } from "ioredis";
import type { TaskStore } from "../../library/kit/store.js";
import { postgresStore } from "../../library/stores/postgres.js";
import { redisStore } from "../../library/stores/redis.js";
import { sqliteStore } from "../../library/stores/sqlite.js";
import { noPostgres, PostgresServer } from "../../test/support/postgres.js";
import { noRedis, RedisServer } from "../../test/support/redis.js";
import { Databases, sqliteLibrary } from "../../test/support/sqlite.js";
import { cloneInPostgres, cloneInSqlite, createTasks } from "./clones.js";

/** A store that many tasks are added to. */
export interface Fillable {
  readonly store: TaskStore;
  /** Greatest number of tasks for which the run has time and the engine has memory. */
  readonly most: number;
  /** Adds the tasks from one number to another number, which is excluded. */
  fill(from: number, to: number): Promise<void>;
  close(): Promise<void>;
}

/** An engine that may be installed. */
export interface Fillables {
  readonly name: string;
  /** Reason why the engine is not available, or `undefined` if it is. */
  readonly missing: string | undefined;
  open(): Promise<Fillable>;
}

/** The engines. When tasks are measured, every write is on the disk when its call resolves. */
export const engines: readonly Fillables[] = [
  { name: "Postgres", missing: noPostgres, open: postgres },
  { name: "Redis", missing: noRedis, open: redis },
  { name: "SQLite", missing: sqliteLibrary.missing, open: sqlite },
];

async function postgres(): Promise<Fillable> {
  // By default, the server has 128 MB for pages, and interrupts a bulk insertion for checkpoints.
  const server = new PostgresServer("fsync=on", "shared_buffers=1GB", "max_wal_size=4GB");
  await server.start();
  const pool = server.pool();
  const store = postgresStore(pool);
  return {
    store,
    most: 1_000_000,
    fill: (from, to) => cloneInPostgres(pool, store, from, to),
    async close() {
      store.close();
      await server.stop();
    },
  };
}

async function redis(): Promise<Fillable> {
  const server = new RedisServer("--appendonly", "yes", "--appendfsync", "everysec");
  await server.start();
  const client = new Redis(server.port);
  const store = redisStore(client);
  return {
    store,
    // A task takes about 7 kB of the memory of Redis, so ten times as many tasks would take 7 GB.
    most: 100_000,
    async fill(from, to) {
      await client.config("SET", "appendfsync", "everysec");
      await createTasks(store, from, to);
      await client.config("SET", "appendfsync", "always");
    },
    async close() {
      store.close();
      client.disconnect();
      await server.stop();
    },
  };
}

function sqlite(): Promise<Fillable> {
  const databases = new Databases();
  const database = databases.open();
  const store = sqliteStore(database);
  return Promise.resolve({
    store,
    most: 1_000_000,
    fill: (from, to) => cloneInSqlite(database, store, from, to),
    close() {
      store.close();
      databases.remove();
      return Promise.resolve();
    },
  });
}
