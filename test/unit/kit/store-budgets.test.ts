import { dirname } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lease, TaskStore } from "../../../templates/kit/store.js";
import { postgresStore } from "../../../templates/kit/stores/postgres.js";
import { type RedisClient, redisStore } from "../../../templates/kit/stores/redis.js";
import { sqliteStore } from "../../../templates/kit/stores/sqlite.js";
import { Bench, working } from "../../../templates/kit/testing/contract/bench.js";
import { noPostgres, PostgresServer } from "../../support/postgres.js";
import { noRedis, RedisServer } from "../../support/redis.js";
import { Databases, sqliteLibrary } from "../../support/sqlite.js";

/*
 * Counts of an append, which do not depend on the machine. The times of the benchmarks follow from them.
 */

const tasks = 50;
const turns = 20;
const appends = tasks * turns;

interface Begun {
  readonly lease: Lease;
  generation: number;
}

/** Opens tasks, each of which has already reported a status. */
async function begin(store: TaskStore): Promise<Begun[]> {
  const bench = new Bench(store, 20_000, undefined);
  const opened = await Promise.all(Array.from({ length: tasks }, () => bench.open()));
  const begun = opened.map(({ lease }) => ({ lease, generation: 1 }));
  await appendTo(store, begun, 1);
  return begun;
}

/** Appends events to all tasks at the same time, one by one to each task. The times of the statuses move. */
async function appendTo(store: TaskStore, begun: readonly Begun[], times = turns): Promise<void> {
  const turn = async (task: Begun): Promise<void> => {
    for (let count = 0; count < times; count += 1)
      await store.append(task.lease, [working(task.lease, (task.generation += 1))], { ttlMs: 60_000 });
  };
  await Promise.all(begun.map(turn));
}

/** Returns the words for the title of a test that needs an engine. */
function unless(missing: string | undefined): string {
  return missing === undefined ? "" : ` (skipped: ${missing})`;
}

describe("the budget of appends to 50 tasks", () => {
  const postgres = new PostgresServer();
  const redis = new RedisServer();
  const databases = new Databases();
  beforeAll(async () => {
    if (noPostgres === undefined) await postgres.start();
    if (noRedis === undefined) await redis.start();
  });
  afterAll(async () => {
    if (noPostgres === undefined) await postgres.stop();
    if (noRedis === undefined) await redis.stop();
    databases.remove();
  });

  it.skipIf(noPostgres !== undefined)(
    `appends to Postgres share statements, update rows in place, and touch no other table${unless(noPostgres)}`,
    async () => {
      let [statements, bytes] = [0, 0];
      // The server counts the use of tables when connections end.
      const withStore = async <T>(use: (store: TaskStore) => Promise<T>): Promise<T> => {
        const pool = new pg.Pool({ host: dirname(postgres.socket), user: "test", database: "postgres" });
        const query = (text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }> => {
          statements += text.includes(".append(") ? 1 : 0;
          bytes += JSON.stringify(values ?? []).length;
          return pool.query(text, values);
        };
        const store = postgresStore({ connect: () => pool.connect(), query }, { listen: false });
        const found = await use(store);
        store.close();
        await pool.end();
        return found;
      };
      const begun = await withStore(begin);
      const before = await tableUse(postgres, tasks);
      [statements, bytes] = [0, 0];
      await withStore((store) => appendTo(store, begun));
      expect(appends / statements).toBeGreaterThan(15);
      expect(bytes / appends).toBeLessThan(500);
      const { heads, ...others } = await tableUse(postgres, (before["heads"]?.updates ?? 0) + appends);
      expect((heads?.updates ?? 0) - (before["heads"]?.updates ?? 0)).toBe(appends);
      expect(((heads?.inPlace ?? 0) - (before["heads"]?.inPlace ?? 0)) / appends).toBeGreaterThan(0.9);
      for (const [table, { updates, scans }] of Object.entries(others))
        expect([table, updates, scans]).toEqual([table, before[table]?.updates, before[table]?.scans]);
    },
  );

  it.skipIf(noRedis !== undefined)(
    `appends to Redis share script calls, and each runs three commands${unless(noRedis)}`,
    async () => {
      const client = redis.io();
      let [calls, bytes] = [0, 0];
      const counting: RedisClient = {
        evalsha: (...args: [sha: string, keys: number, ...args: string[]]) => {
          calls += 1;
          for (const value of args) bytes += String(value).length;
          return client.evalsha(...args);
        },
        eval: (...args: [script: string, keys: number, ...args: string[]]) => client.eval(...args),
        duplicate: () => client.duplicate(),
      };
      const store = redisStore(counting, { listen: false });
      const begun = await begin(store);
      await client.config("RESETSTAT");
      [calls, bytes] = [0, 0];
      await appendTo(store, begun);
      const stats = await client.info("commandstats");
      expect(appends / calls).toBeGreaterThan(20);
      expect(bytes / appends).toBeLessThan(400);
      const commands = [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, count]) => [
        name,
        Number(count),
      ]);
      const perAppend = commands.filter(([, count]) => Number(count) >= appends);
      expect(new Map(perAppend as [string, number][])).toEqual(
        new Map(["hmget", "xadd", "hset"].map((name) => [name, appends])),
      );
      expect(commands.reduce((sum, [, count]) => sum + Number(count), 0) / appends).toBeLessThan(3.5);
    },
  );

  it.skipIf(sqliteLibrary.missing !== undefined)(
    `appends to SQLite share transactions${unless(sqliteLibrary.missing)}`,
    async () => {
      const database = databases.open();
      let commits = 0;
      const counting = {
        exec: (sql: string) => {
          if (sql === "COMMIT") commits += 1;
          database.exec(sql);
        },
        prepare: (sql: string) => database.prepare(sql),
      };
      const store = sqliteStore(counting, { durable: false });
      const begun = await begin(store);
      commits = 0;
      await appendTo(store, begun);
      expect(appends / commits).toBeGreaterThan(10);
    },
  );
});

interface Use {
  readonly updates: number;
  readonly inPlace: number;
  readonly scans: number;
}

/** Returns how the tables were used, when the server has counted a number of updates of heads. */
async function tableUse(server: PostgresServer, updates: number): Promise<Readonly<Record<string, Use>>> {
  for (;;) {
    const { rows } =
      await server.sql(`SELECT relname AS name, n_tup_upd::int AS updates, n_tup_hot_upd::int AS "inPlace",
        (coalesce(idx_scan, 0) + seq_scan)::int AS scans
      FROM pg_stat_user_tables WHERE schemaname = 'a2a' AND relname IN ('heads', 'tasks', 'inbox', 'webhooks')`);
    const found = Object.fromEntries(
      (rows as (Use & { readonly name: string })[]).map(({ name, ...use }) => [name, use]),
    );
    if ((found["heads"]?.updates ?? 0) >= updates) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
