import { describe, expect, it, onTestFinished } from "vitest";
import { redisStore } from "../../../../library/stores/redis.js";
import { FailoverLoad } from "../../../support/failover-load.js";
import { blockOf } from "../../../support/page-blocks.js";
import { libraries, noRedis } from "../../../support/redis.js";
import {
  ClusterReplicas,
  optionsOf,
  type RedisReplicas,
  SentinelReplicas,
} from "../../../support/redis-replicas.js";

const callers = 40;

const settings = optionsOf(blockOf("docs/redis-sentinel.md", "redis.conf"));
const sentinelSettings = blockOf("docs/redis-sentinel.md", "sentinel.conf");
const clusterSettings = optionsOf(blockOf("docs/redis-cluster.md", "redis-cluster.conf"));

/** Returns the settings without the required replicas, as most servers have them. */
const withoutRequired = (options: readonly string[]) =>
  options.slice(0, options.indexOf("--min-replicas-to-write"));

const kinds: Readonly<Record<string, (isPage: boolean) => RedisReplicas>> = {
  "behind Sentinel": (isPage) =>
    new SentinelReplicas(isPage ? settings : withoutRequired(settings), sentinelSettings),
  "in a cluster": (isPage) =>
    new ClusterReplicas(isPage ? clusterSettings : withoutRequired(clusterSettings)),
};

async function start(replicas: RedisReplicas, library: (typeof libraries)[number]) {
  onTestFinished(() => replicas.stop());
  await replicas.start();
  const store = redisStore(await replicas.client(library));
  const load = new FailoverLoad(store, callers);
  onTestFinished(async () => {
    await load.close();
    store.close();
  });
  return { replicas, load };
}

describe.skipIf(noRedis !== undefined).each(Object.entries(kinds))(
  `redisStore %s${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  (_, replicasOf) => {
    it.each(libraries)(
      "with a client of %s, the death of a primary whose replicas are connected loses at most the writes in progress",
      async (library) => {
        const { replicas, load } = await start(replicasOf(true), library);
        await load.furtherTasks(2 * callers);
        await replicas.primary.end("crash");
        await load.furtherTasks(callers);
        const { messages, events, lostMessages, lostEvents } = await load.end();
        // Redis responds to a caller before the replicas have the write, and each caller has one.
        expect(lostMessages).toBeLessThanOrEqual(callers);
        expect(lostEvents).toBeLessThanOrEqual(callers);
        expect(messages).toBeGreaterThanOrEqual(3 * callers);
        expect(events).toBeGreaterThan(messages);
      },
    );

    it("with the settings of the page, a primary without replicas refuses writes until a replica is back", async () => {
      const { replicas, load } = await start(replicasOf(true), "ioredis");
      await load.furtherTasks(callers);
      await replicas.cutOffReplicas();
      await load.refusals(callers);
      await expect(replicas.write()).rejects.toThrow("NOREPLICAS");
      replicas.continueReplicas();
      await load.furtherTasks(callers);
      expect(await load.end()).toMatchObject({ lostMessages: 0, lostEvents: 0 });
    });

    it("without `min-replicas-to-write`, a failover loses events that no replica has received", async () => {
      const { replicas, load } = await start(replicasOf(false), "ioredis");
      await load.furtherTasks(callers);
      await replicas.cutOffReplicas();
      await load.furtherTasks(2 * callers);
      await replicas.primary.end("crash");
      replicas.continueReplicas();
      await load.furtherTasks(callers);
      const { lostMessages, lostEvents } = await load.end();
      expect(lostMessages).toBeGreaterThan(0);
      expect(lostEvents).toBeGreaterThan(0);
    });
  },
);
