import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Scope, TaskStore } from "../../../../library/kit/store.js";
import { completed, textOf, working } from "../../../../library/kit/turns/updates.js";
import { shardedStore } from "../../../../library/stores/index.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { keyOf, shardOf } from "../../../../library/stores/sharded/shards.js";
import { kitAgent, message } from "../../../support/kit.js";
import { blockOf } from "../../../support/page-blocks.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { quantile } from "../../../support/quantile.js";
import { noRedis, type RedisServer } from "../../../support/redis.js";
import { RedisCluster } from "../../../support/redis-cluster.js";
import { numbers, shardCount } from "../../../support/sharding.js";

/** The owner of each shard. */
const owners = numbers(shardCount).map((shard) => {
  for (let at = 0; ; at += 1) {
    const scope: Scope = { tenant: "", owner: `owner ${String(at)}` };
    if (shardOf(keyOf(scope), shardCount) === shard) return scope.owner;
  }
});

/** The prefixes on the page. */
const prefixes = blockOf("docs/sharding.md", "sharded-cluster.ts")
  .join()
  .match(/a2a\d+/g);

/** An agent whose tasks have five events. A task of "wait" waits for a call of the function in `waiting`. */
function agentOn(store: TaskStore) {
  const waiting: (() => void)[] = [];
  const agent = kitAgent({
    store,
    leaseMs: 3_000,
    owner: (user) => user,
    async *run(turn) {
      yield working();
      if (textOf(turn.message) === "wait" && !turn.resumed)
        await new Promise<void>((resolve) => waiting.push(resolve));
      for (const text of ["one", "two", "three"]) yield working(text);
      return completed(turn.resumed ? "Resumed" : "Done");
    },
  });
  onTestFinished(() => agent.close());
  return { agent, waiting };
}

type Agent = ReturnType<typeof agentOn>["agent"];

let count = 0;

/** Sends a message for an owner, and returns the time until its task is completed, in milliseconds. */
async function send(agent: Agent, owner: string) {
  const begun = performance.now();
  const messageId = `m${String((count += 1))}`;
  const task = await agent.send(message("go", { messageId }), owner);
  expect(task.status.state).toBe("TASK_STATE_COMPLETED");
  return performance.now() - begun;
}

/** The work of a server: keys, calls of scripts, and processor time in milliseconds. */
async function workOf(server: RedisServer) {
  const client = server.io();
  const info = await client.info("all");
  const number = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0);
  return {
    keys: await client.dbsize(),
    scripts: number(/cmdstat_evalsha:calls=(\d+)/),
    cpuMs: 1_000 * (number(/used_cpu_sys:([\d.]+)/) + number(/used_cpu_user:([\d.]+)/)),
  };
}

/** Returns the work that the servers do for the same tasks of all owners on a store. */
async function workFor(servers: readonly RedisServer[], store: TaskStore) {
  const { agent } = agentOn(store);
  for (const owner of owners) await send(agent, owner);
  const before = await Promise.all(servers.map(workOf));
  for (let round = 0; round < 40; round += 1)
    await Promise.all(owners.map((owner) => send(agent, owner)));
  const after = await Promise.all(servers.map(workOf));
  return after.map(({ keys, scripts, cpuMs }, at) => ({
    keys: keys - (before[at]?.keys ?? 0),
    scripts: scripts - (before[at]?.scripts ?? 0),
    cpuMs: cpuMs - (before[at]?.cpuMs ?? 0),
  }));
}

describe.skipIf(noRedis !== undefined)(
  `shardedStore on a Redis Cluster${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  () => {
    it("keys and scripts are spread over three primaries, so that the busiest one does less than 40 % of the work", async () => {
      const running = new RedisCluster();
      onTestFinished(() => running.stop());
      await running.start();
      const { servers } = running;
      const cluster = running.io();
      const one = redisStore(cluster, { prefix: "one" });
      const single = await workFor(servers, one);
      const stores = (prefixes ?? []).map((prefix) => redisStore(cluster, { prefix }));
      const spread = await workFor(servers, shardedStore(stores));
      for (const store of [one, ...stores]) store.close();
      const most = (all: typeof spread, of: "scripts" | "cpuMs") =>
        Math.max(...all.map((work) => work[of]));
      console.log(
        `Busiest of three primaries, one prefix against ${String(stores.length)}: ` +
          `${(most(single, "scripts") / most(spread, "scripts")).toFixed(2)} of the scripts, ` +
          `${(most(single, "cpuMs") / most(spread, "cpuMs")).toFixed(2)} of the processor time`,
      );
      for (const { keys, scripts } of spread) {
        expect(keys).toBeGreaterThan(0);
        expect(scripts).toBeGreaterThan(0);
      }
      const sum = spread.reduce((total, { scripts }) => total + scripts, 0);
      expect(most(spread, "scripts") / sum).toBeLessThan(0.4);
      expect(single.filter(({ keys }) => keys > 0)).toHaveLength(1);
    });
  },
);

describe.skipIf(noPostgres !== undefined)(
  `shardedStore on three Postgres servers${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    it("while a server is down, only calls for its owners fail, and its tasks are resumed afterwards", async () => {
      const servers = numbers(3).map(() => new PostgresServer());
      onTestFinished(async () => {
        await Promise.all(servers.map((server) => server.stop()));
      });
      await Promise.all(servers.map((server) => server.start()));
      const stores = servers.map((server) => postgresStore(server.pool()));
      onTestFinished(() => {
        for (const store of stores) store.close();
      });
      const { agent, waiting } = agentOn(shardedStore(stores));
      const [first = "", last = ""] = [owners[0], owners.at(-1)];
      const others = owners.slice(0, 11);
      for (const owner of owners) await send(agent, owner);

      const task = await agent.send(
        { ...message("wait"), configuration: { returnImmediately: true } },
        last,
      );
      await vi.waitFor(() => expect(waiting).toHaveLength(1));
      const quiet = await callsOf(agent, others);
      await servers[2]?.down("crash");
      const refusals = callsUntil(agent, last, 20);
      const disturbed = await callsOf(agent, others);
      expect(await refusals).toEqual(
        Array(20).fill("The store of the agent is unavailable: retry after 5 seconds"),
      );
      await servers[2]?.up();
      waiting[0]?.();
      console.log(
        `99 of 100 calls for other owners: ${quantile(quiet, 0.99).toFixed(1)} ms before, ` +
          `${quantile(disturbed, 0.99).toFixed(1)} ms while a server was down`,
      );
      await vi.waitFor(async () => {
        const { status } = await agent.get(task.id, last);
        expect(status.state).toBe("TASK_STATE_COMPLETED");
      });
      await vi.waitFor(() => send(agent, last));
      expect(await send(agent, first)).toBeGreaterThan(0);
    });
  },
);

/** Sends messages for owners, one after the other for each owner, and returns their times. */
async function callsOf(agent: Agent, from: readonly string[]) {
  const times: number[] = [];
  await Promise.all(
    from.map(async (owner) => {
      for (let calls = 0; calls < 40; calls += 1) times.push(await send(agent, owner));
    }),
  );
  return times;
}

/** Calls an agent whose database is down; returns the messages of a number of refusals. */
async function callsUntil(agent: Agent, owner: string, refusals: number) {
  const found: string[] = [];
  while (found.length < refusals)
    await send(agent, owner).catch((error: unknown) => {
      found.push(error instanceof Error ? error.message : String(error));
    });
  return found;
}
