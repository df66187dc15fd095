import { dirname } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import budget from "../../../../bench/budget.json" with { type: "json" };
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import type { Lease, TaskStore } from "../../../../library/kit/store.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { type RedisClient, redisStore } from "../../../../library/stores/redis.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import {
  Bench,
  start,
  statusEntry,
  statusOf,
} from "../../../../library/stores/testing/contract/bench.js";
import { databasesForSuite } from "../../../support/databases.js";
import { noPostgres, type PostgresServer } from "../../../support/postgres.js";
import { noRedis } from "../../../support/redis.js";
import { sqliteLibrary } from "../../../support/sqlite.js";

/*
 * Counts of an append, which do not depend on the machine. The times of the benchmarks follow from
 * them.
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

/**
 * Appends events to all tasks at the same time, one by one to each task. The times of the statuses
 * move by 50 ms.
 */
async function appendTo(store: TaskStore, begun: readonly Begun[], times = turns) {
  const turn = async (task: Begun) => {
    for (let count = 0; count < times; count += 1)
      await store.append(task.lease, [nextOf(task)], { ttlMs: 60_000 });
  };
  await Promise.all(begun.map(turn));
}

function nextOf(task: Begun) {
  task.generation += 1;
  return statusEntry(
    task.lease,
    task.generation,
    statusOf(TaskState.Working, task.generation / 20),
  );
}

/**
 * Appends events to all tasks, one to each task at the same time. The next events follow when all
 * of them are stored, so that the store always gets the same groups of events.
 */
async function appendInRounds(store: TaskStore, begun: readonly Begun[], rounds: number) {
  for (let count = 0; count < rounds; count += 1) await appendTo(store, begun, 1);
}

/**
 * Returns what each append takes, if one task gets its events one by one, and if 50 tasks do so in
 * rounds. `measure` measures the appends to the tasks that it gets.
 */
async function perAppend<K extends string>(
  open: () => TaskStore,
  measure: (append: () => Promise<void>) => Promise<Readonly<Record<K, number>>>,
): Promise<Readonly<Record<"one task" | "50 tasks", Readonly<Record<K, number>>>>> {
  const store = open();
  const begun = await begin(store);
  const found = async (some: readonly Begun[], rounds: number) => {
    // Afterwards, all statements are known to the engine.
    await appendInRounds(store, some, 10);
    const attempts: Readonly<Record<K, number>>[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1)
      attempts.push(await measure(() => appendInRounds(store, some, rounds)));
    // Appends overtake a statement that takes long, which the machine may cause.
    const share = Object.keys(attempts[0] ?? {}).map((name) => [
      name,
      Math.min(...attempts.map((counts) => counts[name as K])) / (some.length * rounds),
    ]);
    return Object.fromEntries(share) as Record<K, number>;
  };
  return {
    "one task": await found(begun.slice(0, 1), 100),
    "50 tasks": await found(begun, turns),
  };
}

/** Checks counts of appends against the limits in bench/budget.json. */
function expectWithin(
  engine: "Postgres" | "Redis" | "SQLite",
  found: Readonly<Record<"one task" | "50 tasks", Readonly<Record<string, number>>>>,
) {
  for (const load of ["one task", "50 tasks"] as const) {
    const limits = budget.stores[`${engine}, ${load}`];
    expect(Object.keys(found[load])).toEqual(Object.keys(limits));
    const over = Object.entries<number>(limits).filter(
      ([name, limit]) => (found[load][name] ?? Infinity) > limit,
    );
    expect(over, `${engine}, ${load}: ${JSON.stringify(found[load])}`).toEqual([]);
  }
}

/** Returns the words for the title of a test that needs an engine. */
function unless(missing: string | undefined) {
  return missing === undefined ? "" : ` (skipped: ${missing})`;
}

describe("the budget of stores", () => {
  const { postgres, redis, databases } = databasesForSuite();

  it.skipIf(noPostgres !== undefined)(
    `appends to Postgres share statements, update rows in place, and touch no other table${unless(noPostgres)}`,
    async () => {
      let [statements, bytes] = [0, 0];
      // The server counts the use of tables when connections end.
      const withStore = async <T>(use: (store: TaskStore) => Promise<T>) => {
        const pool = new pg.Pool({
          host: dirname(postgres.socket),
          user: "test",
          database: "postgres",
          application_name: counted,
        });
        const query = (text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }> => {
          statements += /\.append(_event)?\(/.test(text) ? 1 : 0;
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
      const { heads, ...others } = await tableUse(
        postgres,
        (before["heads"]?.updates ?? 0) + appends,
      );
      expect((heads?.updates ?? 0) - (before["heads"]?.updates ?? 0)).toBe(appends);
      expect(((heads?.inPlace ?? 0) - (before["heads"]?.inPlace ?? 0)) / appends).toBeGreaterThan(
        0.9,
      );
      for (const [table, { updates, scans }] of Object.entries(others))
        expect([table, updates, scans]).toEqual([
          table,
          before[table]?.updates,
          before[table]?.scans,
        ]);
    },
  );

  it.skipIf(noPostgres !== undefined)(
    `an append to Postgres takes no more statements than bench/budget.json allows${unless(noPostgres)}`,
    async () => {
      const pool = postgres.pool();
      const counts = { statements: 0, unprepared: 0, notifications: 0 };
      const counting = {
        get totalCount() {
          return pool.totalCount;
        },
        connect: () => pool.connect(),
        query(statement: string | pg.QueryConfig, values?: unknown[]) {
          const { text, name } =
            typeof statement === "string" ? { text: statement, name: undefined } : statement;
          if (text.includes("pg_notify")) counts.notifications += 1;
          else counts.statements += 1;
          if (name === undefined) counts.unprepared += 1;
          return pool.query(statement, values);
        },
      };
      const found = await perAppend(
        () => postgresStore(counting, { schema: "counted", pollMs: 600_000 }),
        async (append) => {
          Object.assign(counts, { statements: 0, unprepared: 0, notifications: 0 });
          await append();
          return { ...counts };
        },
      );
      expectWithin("Postgres", found);
    },
  );

  it.skipIf(noPostgres !== undefined)(
    `a page of a list from Postgres reads few tasks, no matter how many tasks are at work${unless(noPostgres)}`,
    async () => {
      const schema = "many";
      const scope = { tenant: "", owner: "ada" };
      const headsRead = async (use: (store: TaskStore) => Promise<unknown>) => {
        const options = {
          host: dirname(postgres.socket),
          user: "test",
          database: "postgres",
          application_name: schema,
        };
        const pool = new pg.Pool(options);
        const before = await headScans(postgres, schema);
        await use(postgresStore(pool, { schema, listen: false }));
        await pool.end();
        return (await headScans(postgres, schema)) - before;
      };
      const count = 1_000;
      await headsRead(async (store) => {
        for (let at = 0; at < count; at += 1) {
          const status = statusOf(TaskState.Submitted, at);
          const options = { scope, turn: { id: "turn" }, claim: { holder: "one", ttlMs: 600_000 } };
          const lease = await store.create(
            { id: `task-${String(at)}`, contextId: "all", status },
            options,
          );
          if (lease !== undefined)
            await store.append(lease, [
              statusEntry(lease, 2, statusOf(TaskState.Working, at + 0.5)),
            ]);
        }
      });
      await postgres.sql(`ANALYZE ${schema}.tasks, ${schema}.heads`);
      const cursor = `${String(start + 500_000)}_z`;
      const filters = [
        {},
        { cursor },
        { contextId: "all", cursor },
        { state: TaskState.Working, cursor },
      ];
      const since = [{ since: start + 970_000 }, { since: start, cursor }];
      for (const query of [...filters, ...since, { state: TaskState.Submitted }]) {
        const read = headsRead(async (store) => {
          const { tasks, total } = await store.list(scope, { limit: 20, ...query });
          const matching =
            query === since[0]
              ? 30
              : "state" in query && query.state === TaskState.Submitted
                ? 0
                : count;
          expect([tasks.length, total]).toEqual([Math.min(20, matching), matching]);
        });
        expect(await read, JSON.stringify(query)).toBeLessThan(150);
      }
    },
  );

  it.skipIf(noRedis !== undefined)(
    `appends to Redis share script calls, and each runs three commands${unless(noRedis)}`,
    async () => {
      const client = redis.io();
      let [calls, bytes, values] = [0, 0, 0];
      const counting: RedisClient = {
        evalsha: (...args: [sha: string, keys: number, ...args: string[]]) => {
          calls += 1;
          values += args.length;
          for (const value of args) bytes += String(value).length;
          return client.evalsha(...args);
        },
        eval: (...args: [script: string, keys: number, ...args: string[]]) => client.eval(...args),
        duplicate: () => client.duplicate(),
      };
      const store = redisStore(counting, { listen: false });
      const begun = await begin(store);
      await client.config("RESETSTAT");
      [calls, bytes, values] = [0, 0, 0];
      await appendTo(store, begun);
      const stats = await client.info("commandstats");
      expect(appends / calls).toBeGreaterThan(20);
      expect(bytes / appends).toBeLessThan(370);
      expect(values / appends).toBeLessThan(13);
      const commands = [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, count]) => [
        name,
        Number(count),
      ]);
      const perAppend = commands.filter(([, count]) => Number(count) >= appends);
      expect(new Map(perAppend as [string, number][])).toEqual(
        new Map(["hmget", "xadd", "hset"].map((name) => [name, appends])),
      );
      expect(commands.reduce((sum, [, count]) => sum + Number(count), 0) / appends).toBeLessThan(
        3.5,
      );
    },
  );

  it.skipIf(noRedis !== undefined)(
    `an append to Redis takes no more calls and commands than bench/budget.json allows${unless(noRedis)}`,
    async () => {
      const client = redis.io();
      const found = await perAppend(
        () => redisStore(client, { prefix: "counted", listen: false, pollMs: 600_000 }),
        async (append) => {
          await client.config("RESETSTAT");
          await append();
          const stats = await client.info("commandstats");
          let [calls, commands] = [0, 0];
          for (const [, name, count] of stats.matchAll(/cmdstat_(\w+).*?calls=(\d+)/g)) {
            if (name === "evalsha") calls += Number(count);
            else if (name !== "config" && name !== "info") commands += Number(count);
          }
          return { calls, commands };
        },
      );
      expectWithin("Redis", found);
    },
  );

  it.skipIf(sqliteLibrary.missing !== undefined)(
    `an append to SQLite takes no more statements than bench/budget.json allows${unless(sqliteLibrary.missing)}`,
    async () => {
      const database = databases.open();
      let statements = 0;
      const counting = {
        exec: (sql: string) => {
          statements += 1;
          database.exec(sql);
        },
        prepare(sql: string) {
          const statement = database.prepare(sql);
          return {
            run: (...values: unknown[]) => ((statements += 1), statement.run(...values)),
            get: (...values: unknown[]) => ((statements += 1), statement.get(...values)),
            all: (...values: unknown[]) => ((statements += 1), statement.all(...values)),
          };
        },
      };
      const found = await perAppend(
        () => sqliteStore(counting, { durable: false, pollMs: 600_000 }),
        async (append) => {
          statements = 0;
          await append();
          return { statements };
        },
      );
      expectWithin("SQLite", found);
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

/** Name of the connections whose use of tables is counted. */
const counted = "counted";

/**
 * Returns how the tables were used, when all counted connections have ended, and the server has
 * counted a number of updates of heads.
 */
async function tableUse(
  server: PostgresServer,
  updates: number,
): Promise<Readonly<Record<string, Use>>> {
  for (;;) {
    const { rows } =
      await server.sql(`SELECT relname AS name, n_tup_upd::int AS updates, n_tup_hot_upd::int AS "inPlace",
        (coalesce(idx_scan, 0) + seq_scan)::int AS scans,
        (SELECT count(*) FROM pg_stat_activity WHERE application_name = '${counted}')::int
          AS connections
      FROM pg_stat_user_tables WHERE schemaname = 'a2a' AND relname IN ('heads', 'tasks', 'inbox', 'webhooks')`);
    const uses = rows as (Use & { readonly name: string; readonly connections: number })[];
    const found = Object.fromEntries(uses.map(({ name, ...use }) => [name, use]));
    const hasEnded = uses.every(({ connections }) => connections === 0);
    if (hasEnded && (found["heads"]?.updates ?? 0) >= updates) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Returns how often heads were searched. The server counts the searches of a connection when the
 * connection ends.
 */
async function headScans(server: PostgresServer, schema: string) {
  for (;;) {
    const { rows } = await server.sql(
      `SELECT (SELECT count(*) FROM pg_stat_activity WHERE application_name = '${schema}')::int AS connections,
        (SELECT sum(idx_scan + seq_scan) FROM pg_stat_user_tables
         WHERE schemaname = '${schema}' AND relname = 'heads')::int AS scans`,
    );
    const [{ connections, scans }] = rows as [
      { readonly connections: number; readonly scans: number | null },
    ];
    if (connections === 0) return scans ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
