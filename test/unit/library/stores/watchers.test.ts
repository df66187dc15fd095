import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskStore } from "../../../../library/kit/store.js";
import type { ClosableStore } from "../../../../library/stores/log/log-store.js";
import { maxWatchers } from "../../../../library/stores/log/watchers.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { Bench, working } from "../../../../library/stores/testing/contract/bench.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { noRedis, RedisServer } from "../../../support/redis.js";

/** So long that only notifications wake a watch. */
const neverMs = 600_000;
const timeoutMs = 100_000;

/** A message that a connection to the database has received. */
interface Heard {
  readonly channel: string;
  readonly message: string;
}

interface Engine {
  readonly name: string;
  readonly missing: string | undefined;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly open: (pollMs: number) => ClosableStore;
  /** Name of the channel of all processes. */
  readonly common: string;
  /** Notes all messages to all channels, or to the channels with these names. */
  readonly hear: (heard: Heard[]) => Promise<void>;
  /** Listens to other channels, if a database has no patterns. */
  readonly alsoHear?: (watchers: string) => Promise<void>;
  readonly publish: (message: string) => Promise<unknown>;
  /** Returns the time until which a task is watched. */
  readonly watchedUntil: (id: string) => Promise<number>;
  /** Returns the list of the watchers of a task. */
  readonly watchersOf: (id: string) => Promise<string>;
}

function postgres(): Engine {
  const server = new PostgresServer();
  let listener: PoolClient | undefined;
  return {
    name: "Postgres",
    missing: noPostgres,
    start: () => server.start(),
    async stop() {
      listener?.release(true);
      await server.stop();
    },
    open: (pollMs) => postgresStore(server.pool(), { pollMs }),
    common: "a2a",
    async hear(heard) {
      const connected = await server.pool().connect();
      listener = connected;
      connected.on("notification", ({ channel, payload = "" }) => {
        heard.push({ channel, message: payload });
      });
      await connected.query("LISTEN a2a");
    },
    async alsoHear(watchers) {
      for (const name of watchers.split(" ").filter((each) => each !== ""))
        await listener?.query(`LISTEN a2a_process_${name}`);
    },
    publish: (message) => server.sql(`NOTIFY a2a, '${message}'`),
    async watchedUntil(id) {
      const { rows } = await server.sql(`SELECT watched_until FROM a2a.heads WHERE id = '${id}'`);
      return Number((rows as { readonly watched_until: unknown }[])[0]?.watched_until);
    },
    async watchersOf(id) {
      const { rows } = await server.sql(`SELECT watchers FROM a2a.heads WHERE id = '${id}'`);
      return (rows as { readonly watchers: string }[])[0]?.watchers ?? "";
    },
  };
}

function redis(): Engine {
  const server = new RedisServer();
  let client: ReturnType<RedisServer["io"]> | undefined;
  return {
    name: "Redis",
    missing: noRedis,
    async start() {
      await server.start();
      client = server.io();
    },
    stop: () => server.stop(),
    open: (pollMs) => redisStore(server.io(), { pollMs }),
    common: "{a2a}:changes",
    async hear(heard) {
      const listener = server.io();
      listener.on("pmessage", (_pattern, channel, message) => {
        heard.push({ channel, message });
      });
      await listener.psubscribe("{a2a}:changes*");
    },
    publish: (message) => client?.publish("{a2a}:changes", message) ?? Promise.resolve(),
    watchedUntil: async (id) => Number(await client?.hget(`{a2a}:task:${id}`, "watched")),
    watchersOf: async (id) => (await client?.hget(`{a2a}:task:${id}`, "watchers")) ?? "",
  };
}

for (const engine of [postgres(), redis()]) {
  const words = engine.missing === undefined ? "" : ` (skipped: ${engine.missing})`;
  describe.skipIf(engine.missing !== undefined)(`watchers in ${engine.name}${words}`, () => {
    const heard: Heard[] = [];
    const stores: ClosableStore[] = [];
    const open = (pollMs = neverMs): TaskStore => {
      const store = engine.open(pollMs);
      stores.push(store);
      return store;
    };
    beforeAll(async () => {
      await engine.start();
      // The first call creates the tables.
      await open().read({ tenant: "", owner: "" }, "a");
      await engine.hear(heard);
    }, timeoutMs);
    afterAll(async () => {
      for (const store of stores) store.close();
      await engine.stop();
    });

    it(
      "only the processes that watch a task are notified, until more than eight watch it",
      async () => {
        const bench = new Bench(open(), timeoutMs, undefined);
        // A lease holder that waits for messages does not watch its own task.
        const claim = { ...bench.claim, onPost: () => undefined };
        const { id, task, lease } = await bench.open({}, { claim });
        let at = 1;
        const append = () => bench.store.append(lease, [working(task, (at += 1))]);
        const own = bench.store.watch(bench.scope, id, 1);
        await append();
        for (let count = 1; count <= maxWatchers + 2; count += 1) {
          const watch = open().watch(bench.scope, id, at);
          const next = bench.nextOf(watch);
          const isListed = async () => {
            const list = await engine.watchersOf(id);
            return list === "" ? count > maxWatchers : list.split(" ").length === count;
          };
          await bench.eventually("a watcher", async () => (await isListed()) || undefined);
          await engine.alsoHear?.(await engine.watchersOf(id));
          const event = await append().then(() => working(task, at));
          expect(await next).toEqual([event]);
          watch.close();
        }
        // Messages arrive in order.
        await engine.publish("last");
        await bench.eventually(
          "the last message",
          () => heard.some(({ message }) => message === "last") || undefined,
        );
        const channelsOf = (generation: number) =>
          heard
            .filter(({ message }) => message === `g ${String(generation)}-0 ${id}`)
            .map(({ channel }) => channel);
        expect(channelsOf(1)).toEqual([]);
        // Only the process that appends watches the task.
        expect(channelsOf(2)).toEqual([]);
        for (let count = 1; count <= maxWatchers; count += 1) {
          const channels = channelsOf(count + 2);
          expect(new Set(channels).size).toBe(count);
          expect(channels).not.toContain(engine.common);
        }
        expect(channelsOf(maxWatchers + 3)).toEqual([engine.common]);
        expect(channelsOf(maxWatchers + 4)).toEqual([engine.common]);
        own.close();
      },
      timeoutMs,
    );

    it(
      "a process that polls more often does not shorten the time that another process watches a task",
      async () => {
        const bench = new Bench(open(), timeoutMs, undefined);
        const task = bench.task({ id: "watched-twice" });
        await bench.store.create(task, bench.options());
        const isListed = async (count: number) =>
          (await engine.watchersOf(task.id)).split(" ").filter((name) => name !== "").length ===
            count || undefined;
        const watches = [];
        for (const pollMs of [neverMs, 50]) {
          watches.push(open(pollMs).watch(bench.scope, task.id, 1));
          await bench.eventually("a watcher", () => isListed(watches.length));
        }
        expect(await engine.watchedUntil(task.id)).toBeGreaterThan(Date.now() + neverMs);
        for (const watch of watches) watch.close();
      },
      timeoutMs,
    );

    it(
      "a watch of another process finds a task that is created later by polling",
      async () => {
        const bench = new Bench(open(), timeoutMs, undefined);
        const task = bench.task({ id: "created-later" });
        const watch = open(50).watch(bench.scope, task.id, 0);
        const found = bench.nextOf(watch);
        await bench.store.create(task, bench.options({ entries: [working(task, 2)] }));
        expect(await found).toEqual([working(task, 2)]);
        watch.close();
      },
      timeoutMs,
    );

    it(
      "a process that watches a task before it creates it is notified of the events of other processes",
      async () => {
        const bench = new Bench(open(), timeoutMs, undefined);
        const task = bench.task({ id: "watched-early" });
        const watch = bench.store.watch(bench.scope, task.id, 0);
        const next = bench.nextOf(watch);
        await bench.pass(20);
        await bench.store.create(task, bench.options());
        await bench.eventually(
          "a watcher",
          async () => (await engine.watchersOf(task.id)) !== "" || undefined,
        );
        const other = open();
        const posted = await other.post(bench.scope, task.id, bench.item("hello"), bench.claim);
        if (posted?.outcome !== "leased") throw new Error("The task must be claimed");
        await other.append(posted.lease, [working(task, 2)]);
        expect(await next).toEqual([working(task, 2)]);
        watch.close();
      },
      timeoutMs,
    );
  });
}
