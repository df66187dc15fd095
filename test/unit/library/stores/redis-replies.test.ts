import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import { redisStore, type RedisClient, type RedisStore } from "../../../../library/stores/redis.js";
import { Bench, working } from "../../../../library/stores/testing/contract/bench.js";
import { Proxy } from "../../../cluster/proxy.js";
import { Random } from "../../../support/random/random.js";
import { libraries, type Library, noRedis, RedisServer } from "../../../support/redis.js";

let prefixes = 0;

/** Returns a client that is connected through a proxy. */
async function clientThrough(proxy: Proxy, library: Library): Promise<RedisClient> {
  if (library === "ioredis") {
    const client = new Redis(`redis://${proxy.address}`);
    client.on("error", () => undefined);
    onTestFinished(() => {
      client.disconnect();
    });
    return client;
  }
  const client = createClient({ url: `redis://${proxy.address}` });
  client.on("error", () => undefined);
  onTestFinished(() => {
    client.destroy();
  });
  await client.connect();
  return client;
}

function storeOn(client: RedisClient, prefix = `r${String((prefixes += 1))}`): RedisStore {
  const store = redisStore(client, { prefix, listen: false, pollMs: 600_000 });
  onTestFinished(() => {
    store.close();
  });
  return store;
}

describe.skipIf(noRedis !== undefined)(
  `redisStore${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  () => {
    const server = new RedisServer();
    let proxy: Proxy;
    beforeAll(async () => {
      await server.start();
      proxy = await Proxy.to({ host: "127.0.0.1", port: server.port }, new Random(1));
    });
    afterAll(async () => {
      await proxy.close();
      await server.stop();
    });

    it.each(libraries)(
      "the store never mistakes the reply to another call for its own, with a client of %s",
      async (library) => {
        const bench = new Bench(storeOn(await clientThrough(proxy, library)), 20_000, undefined);
        const [one, other] = [await bench.rest(), await bench.rest()];
        const read = async (id: string) => (await bench.store.read(bench.scope, id))?.task.id;
        // The server gets to know the script.
        expect(await read(one.id)).toBe(one.id);
        const lost = proxy.swallow("next", 1);
        const first = read(one.id).catch((error: unknown) => error);
        await lost;
        // Its reply arrives first, so the client mistakes it for the reply to the previous call.
        const second = read(other.id).catch((error: unknown) => error);
        expect(await first).toMatchObject({
          message: expect.stringContaining("belongs to another call") as string,
        });
        // `ioredis` sends it again on the next connection, and `redis` gives it up.
        expect([other.id, expect.any(Error) as Error]).toContainEqual(await second);
        expect(await Promise.all([read(one.id), read(other.id), read("none")])).toEqual([
          one.id,
          other.id,
          undefined,
        ]);
      },
    );

    it.each(libraries)(
      "the store works after many lost responses and cuts, with a client of %s",
      async (library) => {
        const bench = new Bench(storeOn(await clientThrough(proxy, library)), 20_000, undefined);
        const ids = (await Promise.all(Array.from({ length: 8 }, () => bench.rest()))).map(
          ({ id }) => id,
        );
        const random = new Random(7);
        let isOver = false;
        const wrong: unknown[] = [];
        const readers = ids.map(async (id) => {
          for (let count = 0; !isOver; count += 1) {
            const found = await bench.store.read(bench.scope, id).catch(() => undefined);
            if (found !== undefined && found.task.id !== id) wrong.push([count, id, found.task.id]);
          }
        });
        for (let fault = 0; fault < 30; fault += 1) {
          const then = random.pick(["next", "cut", "reset", "silence"] as const);
          await proxy.swallow(then, 1);
          if (then === "silence") proxy.mend();
          await bench.eventually("a read", () =>
            bench.store.read(bench.scope, ids[0] ?? "").catch(() => undefined),
          );
        }
        isOver = true;
        await Promise.all(readers);
        expect(wrong).toEqual([]);
        const read = await Promise.all(ids.map((id) => bench.store.read(bench.scope, id)));
        expect(read.map((stored) => stored?.task.id)).toEqual(ids);
      },
    );

    it.each(libraries)(
      "the store refuses settings that let calls wait forever, with a client of %s",
      (library) => {
        const options = { lazyConnect: true, autoResendUnfulfilledCommands: false };
        const socket = { host: "127.0.0.1", port: server.port, socketTimeout: 1_000 };
        const [clients, message] =
          library === "ioredis"
            ? [
                [new Redis(options), new Cluster([], { lazyConnect: true, redisOptions: options })],
                "must not be false",
              ]
            : [
                [createClient({ socket }), createCluster({ rootNodes: [], defaults: { socket } })],
                "socket.reconnectStrategy is required",
              ];
        for (const client of clients) expect(() => redisStore(client, {})).toThrow(message);
        const mended = createClient({ socket: { ...socket, reconnectStrategy: () => 50 } });
        expect(() => redisStore(mended, { listen: false })).not.toThrow();
      },
    );

    it("a repeated claim renews the leases whose response was lost", async () => {
      const client = server.io();
      let isLost = false;
      const losing: RedisClient = {
        evalsha: async (...args: [sha: string, keys: number, ...args: string[]]) => {
          const reply = await client.evalsha(...args);
          if (isLost) throw new Error("lost");
          return reply;
        },
        eval: (...args: [script: string, keys: number, ...args: string[]]) => client.eval(...args),
        duplicate: () => client.duplicate(),
      };
      const bench = new Bench(storeOn(losing, "anew"), 20_000, undefined);
      const claims = {
        leases: async () => (await bench.store.claimExpired(bench.claim, 5)).rows,
        due: async () => (await bench.store.claimWebhooks(bench.claim, 5)).rows,
      };
      for (const claim of Object.values(claims)) expect(await claim()).toEqual([]);
      const { id, task, lease } = await bench.open();
      await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook"));
      await bench.store.append(lease, [working(task, 2)]);
      await bench.store.renew([lease], { ...bench.claim, ttlMs: 0 });
      for (const [set, claim] of Object.entries(claims)) {
        isLost = true;
        await expect(claim()).rejects.toThrow("lost");
        isLost = false;
        // Most of the time of the first claim has passed.
        const [member = ""] = await client.zrange(`{anew}:${set}`, "0", "-1");
        const [until, soon] = [
          Number(await client.zscore(`{anew}:${set}`, member)),
          String(Date.now() + 1_000),
        ];
        await client.zadd(`{anew}:${set}`, soon, member);
        expect(await claim()).toHaveLength(1);
        expect(Number(await client.zscore(`{anew}:${set}`, member))).toBeGreaterThanOrEqual(until);
      }
    });
  },
);
