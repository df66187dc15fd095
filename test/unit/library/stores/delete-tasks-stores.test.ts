import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import type { TaskStore } from "../../../../library/kit/store.js";
import { completed, inputRequired, working } from "../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { noRedis, RedisServer } from "../../../support/redis.js";
import { Databases, sqliteLibrary } from "../../../support/sqlite.js";

/**
 * An agent that works until its turn is aborted, ends at once, or asks back, as its message says.
 */
function agentOn(store: TaskStore) {
  const aborted: string[] = [];
  const agent = kitAgent({
    store,
    async *run({ message: { parts }, untilAborted, task }) {
      const [{ text } = {}] = parts;
      if (text === "end") return completed();
      if (text === "ask") return inputRequired("Which one?");
      yield working("Thinking");
      await untilAborted(new Promise(() => undefined)).catch(() => aborted.push(task.id));
      return completed();
    },
  });
  onTestFinished(() => agent.close());
  return { agent, aborted };
}

type Agent = ReturnType<typeof agentOn>["agent"];

/**
 * Sends messages that start tasks of an owner: a running task, a paused task, and an ended task.
 */
async function begin(agent: Agent, owner: string) {
  const configuration = { returnImmediately: true };
  const working = await agent.send({ ...message("work"), configuration }, owner);
  return [working.id, (await agent.send("ask", owner)).id, (await agent.send("end", owner)).id];
}

/** Reads a stream to its end, which may be the error for an unknown task. */
async function readToEnd(
  stream: Promise<AsyncIterable<unknown>>,
  onEvent: (event: unknown) => void,
) {
  try {
    for await (const event of await stream) onEvent(event);
  } catch (error) {
    expect(error).toMatchObject({ name: "TaskNotFoundError" });
  }
}

/** Tests `deleteTasks` on stores of two processes, which may be one. */
function forgets(open: () => Promise<readonly TaskStore[]>) {
  it("forget deletes the open and ended tasks of one owner, and no task of another owner", async () => {
    const [store = memoryStore()] = await open();
    const { agent, aborted } = agentOn(store);
    const [ada, bob] = [await begin(agent, "ada"), await begin(agent, "bob")];
    expect(await agent.deleteTasks({ owner: "ada" })).toBe(3);
    await vi.waitFor(() => {
      expect(aborted).toEqual([ada[0]]);
    });
    expect((await agent.list({}, "ada")).tasks).toEqual([]);
    for (const id of ada)
      await expect(agent.get(id, "ada")).rejects.toMatchObject({ name: "TaskNotFoundError" });
    for (const id of bob) expect((await agent.get(id, "bob")).id).toBe(id);
    expect(await agent.deleteTasks({ owner: "ada" })).toBe(0);
    expect(agent.errors).toEqual([]);
  });

  it("forget deletes one task of its owner, and nothing if the owner does not match", async () => {
    const [store = memoryStore()] = await open();
    const { agent } = agentOn(store);
    const [id = "", ...others] = await begin(agent, "ada");
    expect(await agent.deleteTasks({ owner: "bob", taskId: id })).toBe(0);
    expect(await agent.deleteTasks({ owner: "ada", taskId: id })).toBe(1);
    expect((await agent.list({}, "ada")).tasks.map((task) => task.id).sort()).toEqual(
      others.sort(),
    );
  });

  it("forget ends the open streams of deleted tasks, in the process of their turns and in other processes", async () => {
    const [one = memoryStore(), other = one] = await open();
    const [{ agent }, { agent: second }] = [agentOn(one), agentOn(other)];
    const [working = "", asking = ""] = await begin(agent, "ada");
    const onEvent = vi.fn();
    const streams = [agent, second].flatMap((each) =>
      [working, asking].map((id) => readToEnd(each.subscribe(id, "ada"), onEvent)),
    );
    await vi.waitFor(() => {
      expect(onEvent.mock.calls.length).toBeGreaterThanOrEqual(streams.length);
    });
    expect(await second.deleteTasks({ owner: "ada" })).toBe(3);
    await Promise.all(streams);
    expect([...agent.errors, ...second.errors]).toEqual([]);
  });

  it("a task that vanishes from its store fails its callers and subscribers in all processes", async () => {
    const [one = memoryStore(), other = one] = await open();
    const [{ agent }, { agent: second }] = [agentOn(one), agentOn(other)];
    const [id = ""] = await begin(agent, "ada");
    const blocked = agent.send({ message: { ...message("more").message, taskId: id } }, "ada");
    const onEvent = vi.fn();
    const streams = [agent, second].map(async (each) => {
      for await (const event of await each.subscribe(id, "ada")) onEvent(event);
    });
    const outcomes = Promise.allSettled([blocked, ...streams]);
    await vi.waitFor(() => {
      expect(onEvent.mock.calls.length).toBeGreaterThanOrEqual(streams.length);
    });
    await vi.waitFor(async () => {
      expect(JSON.stringify((await agent.get(id, "ada")).history)).toContain("m-more");
    });
    expect(await other.erase({ tenant: "", owner: "ada", taskId: id }, 1)).toBe(1);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "TaskNotFoundError" } });
  });
}

describe("deleting tasks in memoryStore", () => {
  forgets(() => {
    const store = memoryStore();
    return Promise.resolve([store, store]);
  });
});

describe.skipIf(sqliteLibrary.missing !== undefined)(
  `deleting tasks in sqliteStore (${sqliteLibrary.missing ?? sqliteLibrary.name})`,
  () => {
    const databases = new Databases();
    afterAll(() => {
      databases.remove();
    });
    forgets(() => {
      const path = databases.path();
      const stores = [1, 2].map(() => sqliteStore(databases.open(path), { durable: false }));
      onTestFinished(() => {
        for (const store of stores) store.close();
      });
      return Promise.resolve(stores);
    });
  },
);

describe.skipIf(noPostgres !== undefined)(
  `deleting tasks in postgresStore (${noPostgres ?? "here"})`,
  () => {
    const server = new PostgresServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());
    let schemas = 0;
    forgets(() => {
      const schema = `forget${String((schemas += 1))}`;
      const stores = [1, 2].map(() => postgresStore(server.pool(), { schema, pollMs: 50 }));
      onTestFinished(() => {
        for (const store of stores) store.close();
      });
      return Promise.resolve(stores);
    });
  },
);

describe.skipIf(noRedis !== undefined)(
  `deleting tasks in redisStore (${noRedis ?? "here"})`,
  () => {
    const server = new RedisServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());
    let prefixes = 0;
    forgets(async () => {
      const prefix = `forget${String((prefixes += 1))}`;
      const clients = [await server.client("ioredis"), await server.client("ioredis")];
      const stores = clients.map((client) => redisStore(client, { prefix, pollMs: 50 }));
      onTestFinished(() => {
        for (const store of stores) store.close();
      });
      return stores;
    });
  },
);
