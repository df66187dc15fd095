import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type RedisClient,
  type RedisStore,
  type RedisStoreOptions,
  redisStore,
} from "../../../../library/stores/redis.js";
import {
  Bench,
  chunkEntry,
  statusEntry,
  statusOf,
  working,
} from "../../../../library/stores/testing/contract/bench.js";
import { applyEntries } from "../../../../library/kit/log/fold.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import type { TaskStore } from "../../../../library/kit/store.js";
import {
  type DamageTarget,
  storeContract,
} from "../../../../library/stores/testing/store-contract.js";
import { libraries, noRedis, RedisServer } from "../../../support/redis.js";
import { sized } from "../../../support/size.js";
import { resultsOfAppends } from "../../../support/short-appends.js";
import { testEncryption } from "../../../support/sealed-store.js";
import { patienceMs } from "../../../support/time-limit.js";
import { twoStores } from "../../../support/two-stores.js";

/** The calls of both libraries go through the same few lines. */
const tried = libraries.slice(0, sized(1, libraries.length));
const opened: RedisStore[] = [];
let prefixes = 0;

function newPrefix() {
  prefixes += 1;
  return `p${prefixes}`;
}

function open(client: RedisClient | undefined, options: RedisStoreOptions): RedisStore {
  if (client === undefined) throw new Error("no client");
  const store = redisStore(client, options);
  opened.push(store);
  return store;
}

function close() {
  for (const store of opened.splice(0)) store.close();
}

function pairsOf(values: readonly string[]) {
  return values.flatMap((value, at) =>
    at % 2 === 0 ? [[value, values[at + 1] ?? ""] as const] : [],
  );
}

/**
 * Returns the values of all keys of a store. Times of the server are only compared with a time in
 * the near future.
 */
async function everythingOf(
  client: Redis,
  prefix: string,
): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const key of await client.keys(`{${prefix}}*`)) {
    const name = key.slice(prefix.length + 2);
    const type = await client.type(key);
    if (type === "hash") {
      const { call, epoch, ...fields } = await client.hgetall(key);
      found[name] = [fields, call === undefined ? undefined : epoch];
    } else if (type === "stream") found[name] = await client.xrange(key, "-", "+");
    else if (type === "set") found[name] = (await client.smembers(key)).sort();
    else if (type === "list") found[name] = await client.lrange(key, 0, -1);
    else if (type === "zset") {
      const pairs = pairsOf(await client.zrange(key, "0", "-1", "WITHSCORES"));
      const isOfServer =
        [":leases", ":ended", ":due", ":logs"].includes(name) || name.startsWith(":recent:");
      found[name] = isOfServer
        ? pairs.map(([id, time]) => [id, Number(time) > Date.now() + 1_000_000]).sort()
        : pairs;
    }
  }
  return found;
}

describe.skipIf(noRedis !== undefined)(
  `redisStore${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  () => {
    const server = new RedisServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());

    describe.each(tried)("with a client of %s", (library) => {
      let clients: RedisClient[] = [];
      beforeAll(async () => {
        clients = [await server.client(library), await server.client(library)];
      });

      const prefixOf = new WeakMap<TaskStore, string>();
      const damage = async (
        store: TaskStore,
        { taskId, webhookId }: DamageTarget,
        text: string,
      ) => {
        const base = `{${prefixOf.get(store) ?? ""}}`;
        const hook = `${base}:hook:${String(taskId.length)}:${taskId}${webhookId ?? ""}`;
        const client = server.io();
        if (webhookId === undefined) await client.hset(`${base}:task:${taskId}`, "task", text);
        else await client.hset(hook, "body", text);
        client.disconnect();
      };
      const openNew = (options: RedisStoreOptions = {}): RedisStore => {
        const prefix = newPrefix();
        const store = open(clients[0], { ...options, prefix });
        prefixOf.set(store, prefix);
        return store;
      };
      storeContract({ describe, it }, () => openNew(), { close, damage, timeoutMs: patienceMs });

      for (const [how, options] of [
        ["with notifications", { pollMs: 600_000 }],
        ["without", { listen: false, pollMs: 10 }],
      ] as const)
        describe(`in two processes, ${how}`, () => {
          twoStores(() => {
            const prefix = newPrefix();
            const [one, other] = clients.map((client) => open(client, { prefix, ...options }));
            if (one === undefined || other === undefined) throw new Error("no client");
            return Promise.resolve({ one, other, close });
          }, false);
        });

      it("watches and calls continue after the server was restarted", async () => {
        const restarted = new RedisServer("--appendonly", "yes", "--appendfsync", "always");
        await restarted.start();
        try {
          const options = { pollMs: 600_000 };
          const bench = new Bench(
            open(await restarted.client(library), options),
            20_000,
            undefined,
          );
          const other = open(await restarted.client(library), options);
          const { id, task, lease } = await bench.open();
          const watch = bench.store.watch(bench.scope, id, 1);
          for (let generation = 2; generation < 5; generation += 1) {
            const next = bench.nextOf(watch);
            await restarted.end();
            const read = bench.store.read(bench.scope, id).catch(() => undefined);
            await restarted.start();
            await read;
            await bench.eventually("an append after the start", () =>
              other.append(lease, [working(task, generation)]).catch(() => undefined),
            );
            expect(await next).toEqual([working(task, generation)]);
          }
          watch.close();
        } finally {
          close();
          await restarted.stop();
        }
      });

      it("the error for a replica, or for a user that may not run scripts, contains a hint", async () => {
        const settings = ["--user", "weak", "on", ">weak", "~*", "&*", "+@all", "-@scripting"];
        const guarded = new RedisServer(
          "--replicaof",
          "127.0.0.1",
          String(server.port),
          ...settings,
        );
        await guarded.start();
        try {
          for (const [credentials, message] of [
            [{}, "The server is a read-only replica: connect the client to its primary"],
            [
              { username: "weak", password: "weak" },
              "The user of the client requires permissions for EVALSHA",
            ],
          ] as const) {
            const store = open(await guarded.client(library, credentials), { listen: false });
            await expect(new Bench(store, 20_000, undefined).rest()).rejects.toThrow(message);
          }
        } finally {
          close();
          await guarded.stop();
        }
      });
    });

    it("the error says that the server refuses the credentials of the client", async () => {
      const store = open(server.io({ password: "wrong", username: "nobody" }), { listen: false });
      const rest = new Bench(store, 20_000, undefined).rest();
      await expect(rest).rejects.toThrow("The server refused the credentials of the client");
    });

    it("redisStore encrypts the content of tasks if it gets an encryption", async () => {
      const prefix = newPrefix();
      const client = server.io();
      await testEncryption(
        (encryption) => open(client, { prefix, ...(encryption && { encryption }) }),
        async () => {
          const keys = await client.keys(`{${prefix}}*`);
          const values = await Promise.all(
            keys.map(async (key) => {
              const type = await client.type(key);
              if (type === "hash") return client.hgetall(key);
              return type === "stream" ? client.xrange(key, "-", "+") : key;
            }),
          );
          return JSON.stringify(values);
        },
      );
      close();
    });

    it("redisStore keeps snapshots of long logs and reads them", async () => {
      const bench = new Bench(open(server.io(), { prefix: newPrefix() }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      const entries = Array.from({ length: 600 }, (_, at) =>
        chunkEntry(task, at + 2, { artifactId: "a", parts: [{ text: String(at) }] }, at > 0),
      );
      await bench.store.append(lease, entries);
      // The first of these brings the snapshot up to date.
      for (let reads = 0; reads < 3; reads += 1)
        expect((await bench.store.read(bench.scope, id))?.task).toEqual(
          applyEntries(task, entries),
        );
      await bench.store.append(lease, [statusEntry(task, 602, statusOf(TaskState.Completed))]);
      expect((await bench.store.read(bench.scope, id))?.task.artifacts).toEqual(
        applyEntries(task, entries).artifacts,
      );
    });

    it("redisStore removes logs with old snapshots, also behind the entries that webhooks need", async () => {
      const bench = new Bench(open(server.io(), { prefix: newPrefix() }), 20_000, undefined);
      const retention = { maxLogAgeMs: 0, step: 1 };
      for (const hooks of [1, 0]) {
        const { id, task, lease } = await bench.open();
        for (let hook = 0; hook < hooks; hook += 1)
          await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook"));
        await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 1))]);
        await bench.pass(2);
      }
      for (const gone of [0, 1, 0]) expect(await bench.store.deleteExpired(retention)).toBe(gone);
    });

    it("redisStore leaves no keys of deleted tasks behind", async () => {
      const prefix = newPrefix();
      const client = server.io();
      const bench = new Bench(open(client, { prefix }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook"));
      await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
      await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 1))]);
      await bench.store.deleteExpired({ maxCount: 0 });
      expect(await client.keys(`{${prefix}}*`)).toEqual([`{${prefix}}:version`]);
    });

    it("redisStore recognizes a call that a client repeats", async () => {
      const client = server.io();
      const between: (() => Promise<unknown>)[] = [];
      const twice: RedisClient = {
        evalsha: async (...args: [sha: string, keys: number, ...args: string[]]) => {
          await client.evalsha(...args);
          for (const call of between) await call();
          return client.evalsha(...args);
        },
        eval: (...args: [script: string, keys: number, ...args: string[]]) => client.eval(...args),
        duplicate: () => client.duplicate(),
      };
      const options = { prefix: newPrefix(), listen: false };
      const [bench, other] = [
        new Bench(open(twice, options), 20_000, undefined),
        open(client, options),
      ];
      const post = async (id: string): Promise<unknown> => {
        const posted = await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
        return posted !== undefined && "stored" in posted
          ? [posted.outcome, posted.stored.inbox.length]
          : posted;
      };
      // The server gets to know the scripts.
      await post((await bench.rest()).id);
      const { id } = await bench.rest();
      expect(await post(id)).toEqual(["leased", 1]);
      expect(await post(id)).toEqual(["posted", 2]);
      const { id: next, lease } = await bench.open();
      between.push(async () => {
        const taken = (await other.read(bench.scope, next))?.inbox.map((item) => item.id) ?? [];
        await other.append(lease, [], { taken });
      });
      expect(await post(next)).toEqual(["posted", 0]);
    });

    it("redisStore forgets the ids of posted items after the time in which clients repeat calls", async () => {
      const [client, prefix] = [server.io(), newPrefix()];
      const bench = new Bench(open(client, { prefix, listen: false }), 20_000, undefined);
      const { id } = await bench.open();
      const key = `{${prefix}}:recent:${id}`;
      for (let sent = 0; sent < 50; sent += 1)
        await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
      for (const item of await client.zrange(key, "0", "-1"))
        await client.zadd(key, String(Date.now() - 1), item);
      await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
      expect(await client.zcard(key)).toBe(1);
    });

    it("redisStore loses nothing that was claimed by a call with a lost response", async () => {
      const client = server.io();
      let lost: Error | undefined;
      const losing: RedisClient = {
        evalsha: async (...args: [sha: string, keys: number, ...args: string[]]) => {
          const reply = await client.evalsha(...args);
          if (lost !== undefined) throw lost;
          return reply;
        },
        eval: (...args: [script: string, keys: number, ...args: string[]]) => client.eval(...args),
        duplicate: () => client.duplicate(),
      };
      const bench = new Bench(
        open(losing, { prefix: newPrefix(), listen: false }),
        20_000,
        undefined,
      );
      const claims = {
        expired: () => bench.store.claimExpired(bench.claim, 5),
        due: () => bench.store.claimWebhooks(bench.claim, 5),
      };
      // The server gets to know the scripts.
      for (const claim of Object.values(claims)) expect((await claim()).rows).toEqual([]);
      const { id, task, lease } = await bench.open();
      await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook"));
      await bench.store.append(lease, [working(task, 2)]);
      await bench.store.renew([lease], { ...bench.claim, ttlMs: 0 });
      for (const claim of Object.values(claims)) {
        lost = new Error("lost");
        await expect(claim()).rejects.toThrow("lost");
        lost = undefined;
        expect([(await claim()).rows.length, (await claim()).rows.length]).toEqual([1, 0]);
      }
    });

    it("an append of events alone changes the same keys in Redis as any other append", async () => {
      const client = server.io();
      const results = (isLong: boolean): Promise<unknown> => {
        const prefix = newPrefix();
        return resultsOfAppends(open(client, { prefix, listen: false }), isLong, () =>
          everythingOf(client, prefix),
        );
      };
      expect(await results(false)).toEqual(await results(true));
    });

    it("appends to Redis publish changes as long as another process watches the task, and not before", async () => {
      const prefix = newPrefix();
      const listener = server.io();
      const published: string[] = [];
      listener.on("pmessage", (_pattern, _channel, message) => published.push(message));
      await listener.psubscribe(`{${prefix}}:changes*`);
      const bench = new Bench(open(server.io(), { prefix, pollMs: 600_000 }), 20_000, undefined);
      const claim = { ...bench.claim, onPost: () => undefined };
      const { id, task, lease } = await bench.open({}, { claim });
      const own = bench.store.watch(bench.scope, id, 1);
      let at = 1;
      for (let count = 0; count < 3; count += 1)
        await bench.store.append(lease, [working(task, (at += 1))]);
      // Messages arrive in order, so a message of an append would have arrived before this message.
      const last = bench.eventually(
        "the last message",
        () => published.includes("last") || undefined,
      );
      await server.io().publish(`{${prefix}}:changes`, "last");
      await last;
      expect(published).toEqual(["last"]);
      const watch = open(server.io(), { prefix, pollMs: 600_000 }).watch(bench.scope, id, at);
      // An append notifies the watch as soon as its process has asked for that.
      await bench.eventually("a notification", async () => {
        const next = bench.nextOf(watch);
        await bench.store.append(lease, [working(task, (at += 1))]);
        expect(await next).toEqual([working(task, at)]);
        return published.includes(`g ${String(at)}-0 ${id}`) || undefined;
      });
      for (const each of [own, watch]) each.close();
      close();
    });

    it("redisStore writes all or nothing if the server has no memory left", async () => {
      const client = server.io();
      const bench = new Bench(open(client, { prefix: newPrefix() }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      const item = bench.item("hello");
      await bench.store.post(bench.scope, id, item, bench.claim);
      await client.config("SET", "maxmemory", "1");
      const append = (): Promise<unknown> =>
        bench.store.append(lease, [working(task, 2)], {
          taken: [item.id],
          checkpoint: 1,
          release: true,
        });
      const before = await bench.store.read(bench.scope, id);
      await expect(append()).rejects.toThrow("OOM");
      expect(await bench.store.read(bench.scope, id)).toEqual(before);
      await client.config("SET", "maxmemory", "0");
      expect(await append()).toMatchObject({ inbox: [], released: true });
    });

    it("redisStore continues with keys of version 2", async () => {
      const [prefix, client] = [newPrefix(), server.io()];
      const bench = new Bench(open(client, { prefix }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      const before = await bench.store.read(bench.scope, id);
      await client.set(`{${prefix}}:version`, "2");
      const other = open(client, { prefix });
      expect(await other.read(bench.scope, id)).toEqual(before);
      await other.append(lease, [working(task, 2)]);
      expect(await client.get(`{${prefix}}:version`)).toBe("4");
    });

    it("redisStore uses keys of a later release that allows its version, and leaves the version", async () => {
      const [prefix, client] = [newPrefix(), server.io()];
      const bench = new Bench(open(client, { prefix }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      await client.set(`{${prefix}}:version`, "5 4");
      const other = open(client, { prefix });
      await other.append(lease, [working(task, 2)]);
      await other.create(bench.task(), bench.options());
      expect((await bench.store.read(bench.scope, id))?.generation).toBe(2);
      expect(await client.get(`{${prefix}}:version`)).toBe("5 4");
      await client.set(`{${prefix}}:version`, "6 5");
      await expect(other.read(bench.scope, id)).rejects.toThrow(
        "The keys have version 6, but this store supports version 4: update the store",
      );
    });

    it("redisStore refuses keys of a later version, a prefix with braces and an invalid client", async () => {
      const prefix = newPrefix();
      const client = server.io();
      await client.set(`{${prefix}}:version`, "1000");
      const message =
        "The keys have version 1000, but this store supports version 4: update the store";
      await expect(open(client, { prefix }).deleteExpired({})).rejects.toThrow(message);
      expect(() => open(client, { prefix: "a{b" })).toThrow(
        "The prefix must not be empty or contain braces",
      );
      // @ts-expect-error A client has methods.
      expect(() => open({}, {})).toThrow("The store requires a client of ioredis or redis");
    });

    it("the error for an old server names the required version", async () => {
      const old = new RedisServer("--rename-command", "XRANGE", "");
      await old.start();
      const bench = new Bench(open(old.io(), { listen: false }), 20_000, undefined);
      await expect(bench.rest()).rejects.toThrow(
        "The server is too old: the store requires Redis 6.2",
      );
      await old.stop();
    });

    describe("in a cluster", () => {
      const node = new RedisServer(
        "--cluster-enabled",
        "yes",
        "--cluster-announce-ip",
        "127.0.0.1",
      );
      beforeAll(async () => {
        await node.start();
        await node.beCluster();
      });
      afterAll(() => node.stop());

      describe.each(libraries)("with a client of %s", (library) => {
        twoStores(async () => {
          const prefix = newPrefix();
          const clients = [
            await node.clusterClient(library),
            await node.clusterClient(library),
          ] as const;
          const [one, other] = clients.map((client) => open(client, { prefix, pollMs: 600_000 }));
          if (one === undefined || other === undefined) throw new Error("no client");
          return { one, other, close };
        }, false);
      });
    });
  },
);
