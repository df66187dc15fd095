import { describe, expect, it, vi } from "vitest";
import { pageBytes } from "../../../../../library/kit/limits/size.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskStore, Watch } from "../../../../../library/kit/store.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { gists, kitAgent, message } from "../../../../support/kit.js";

const atOnce = { ...message("work"), configuration: { returnImmediately: true } };
const never = new Promise<never>(() => undefined);

/** A store in memory, and how many of its watches are open. */
function counting() {
  const inner = memoryStore();
  const open = new Set<Watch>();
  const watch: TaskStore["watch"] = (...given) => {
    const found = inner.watch(...given);
    open.add(found);
    return {
      next: () => found.next(),
      close: () => {
        open.delete(found);
        found.close();
      },
    };
  };
  const store = new Proxy(inner, {
    get(_, name) {
      const own: unknown = Reflect.get(inner, name);
      return name === "watch"
        ? watch
        : typeof own === "function"
          ? (own.bind(inner) as unknown)
          : own;
    },
  });
  return { store, open };
}

/** An agent whose turns never end. */
const silent = (store: TaskStore, cancelWithinMs = 50) =>
  kitAgent({
    store,
    async *run() {
      yield working();
      await never;
      return completed();
    },
    limits: { cancelWithinMs },
  });

it("a task that is canceled many times has one cancel request in its inbox", async () => {
  const { store } = counting();
  const agent = silent(store);
  const { id } = await agent.send(atOnce);
  const canceled = Promise.all(Array.from({ length: 100 }, () => agent.cancel(id)));
  await vi.waitFor(async () =>
    expect((await store.read({ tenant: "", owner: "" }, id))?.inbox).toHaveLength(1),
  );
  for (const { status } of await canceled) expect(status.state).toBe("TASK_STATE_CANCELED");
});

it.each(["sendMessage", "cancelTask", "getTask"] as const)(
  "a caller of %s that disconnects leaves no watch behind",
  async (name) => {
    const { store, open } = counting();
    const agent = silent(store, 60_000);
    const { id } = await agent.send(atOnce);
    expect(open.size).toBe(0);
    const controller = new AbortController();
    const context = agent.context("", { signal: controller.signal });
    const calls = {
      sendMessage: () => agent.service.sendMessage(message("more", { taskId: id }), context),
      cancelTask: () => agent.service.cancelTask({ id }, context),
      getTask: () => agent.service.getTask({ id, currentGeneration: "9" }, context),
    };
    const called = Promise.resolve(calls[name]()).catch(() => undefined);
    await vi.waitFor(() => expect(open.size).toBe(1));
    controller.abort();
    await called;
    expect(open.size).toBe(0);
  },
);

it("no caller waits for an agent that was closed", async () => {
  const agent = silent(counting().store);
  const { id } = await agent.send(atOnce);
  const waiting = agent.send("more");
  await agent.close();
  const late = [
    waiting,
    agent.send("late"),
    agent.send(message("more", { taskId: id })),
    agent.cancel(id),
    agent.subscribe(id).then((events) => gists(events)),
  ];
  for (const each of await Promise.allSettled(late))
    expect(each).toMatchObject({ status: "rejected", reason: { message: "The agent was closed" } });
  expect(await agent.get(id)).toMatchObject({ id });
});

it("a caller gets its task even if the task is deleted immediately", async () => {
  const agent = kitAgent({
    store: memoryStore({ maxBytes: 1_000 }),
    async *run() {
      yield working();
      await new Promise((resolve) => setImmediate(resolve));
      return completed();
    },
  });
  expect((await agent.send("work")).status.state).toBe("TASK_STATE_COMPLETED");
});

it.each([
  ["leaseMs", { leaseMs: 0 }],
  ["leaseMs", { leaseMs: NaN }],
  ["limits.maxQueue", { limits: { maxQueue: 0 } }],
  ["limits.turnWithinMs", { limits: { turnWithinMs: -1 } }],
  ["limits.pollWithinMs", { limits: { pollWithinMs: "1" as never } }],
])("an agent is not created with an invalid %s: %j", (name, options) => {
  const run = (): never => undefined as never;
  expect(() => kitAgent({ run, ...options })).toThrow(`${name} must be a number of at least`);
});

it("the time limit of a task may exceed the longest timer of the platform", async () => {
  const agent = kitAgent({
    async *run({ untilAborted }) {
      yield working();
      await untilAborted(new Promise((resolve) => setTimeout(resolve, 100))).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
      yield working("done");
      return completed();
    },
    leaseMs: Infinity,
    limits: { cancelWithinMs: Infinity, pollWithinMs: undefined as never },
  });
  const { id } = await agent.send(atOnce);
  const { history } = await agent.cancel(id);
  expect(history?.at(-1)?.parts).toEqual([{ text: "done" }]);
});

it("a message loads at most a hundred referenced tasks for its turn", async () => {
  const store = memoryStore();
  const read = vi.spyOn(store, "read");
  const agent = kitAgent({
    store,
    async *run({ referencedTasks }) {
      yield working();
      await referencedTasks();
      return completed();
    },
  });
  await agent.send(
    message("a", { referenceTaskIds: Array.from({ length: 1_000 }, (_, at) => String(at)) }),
  );
  expect(read.mock.calls.filter(([, id]) => id.length < 4)).toHaveLength(100);
});

it("a turn gets the referenced tasks of its message until they reach the size of a page", async () => {
  const found: number[] = [];
  const agent = kitAgent({
    async *run({ referencedTasks }) {
      yield working();
      found.push((await referencedTasks()).length);
      return completed();
    },
  });
  const referenceTaskIds: string[] = [];
  for (let count = 0; count < 4; count += 1)
    referenceTaskIds.push(
      (await agent.send(message("large", { parts: [{ text: "x".repeat((3 * pageBytes) / 8) }] })))
        .id,
    );
  await agent.send(message("b", { referenceTaskIds }));
  expect(found.at(-1)).toBe(2);
});

describe("deduplication of messages", () => {
  const counted = (store: TaskStore = memoryStore()) => {
    const seen: string[] = [];
    const agent = kitAgent<true>({
      deduplicate: true,
      store,
      async *run({ message: { messageId, parts }, state }) {
        yield working();
        seen.push(messageId);
        if (parts[0]?.text === "ask" && state === undefined)
          return inputRequired("What?", { state: true });
        return completed(String(seen.length));
      },
    });
    return { agent, seen };
  };

  it("a repeated message gets the task that its first copy created, also at the same time and in another process", async () => {
    const store = memoryStore();
    const [one, other] = [counted(store), counted(store)];
    const tasks = await Promise.all(
      [one, one, other].map(({ agent }) => agent.send("work", "ada")),
    );
    tasks.push(await other.agent.send("work", "ada"));
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    expect(tasks.map(({ status: { state } }) => state)).toEqual(
      Array(4).fill("TASK_STATE_COMPLETED"),
    );
    const { tasks: listed } = await one.agent.service.listTasks({}, one.agent.context("ada"));
    expect(listed).toHaveLength(1);
    expect([one.agent.errors, other.agent.errors]).toEqual([[], []]);
  });

  it("a message of an anonymous caller starts a new task even if another caller used its id", async () => {
    const { agent, seen } = counted();
    const [one, other] = [await agent.send("ask"), await agent.send("ask")];
    expect(other.id).not.toBe(one.id);
    const answer = message("answer", { taskId: one.id });
    await agent.send(answer);
    await agent.send(answer);
    expect(seen).toEqual(["m-ask", "m-ask", "m-answer"]);
  });

  it("a message of another user or with another id is not a repetition", async () => {
    const { agent, seen } = counted();
    const ids = [
      await agent.send("work", "ada"),
      await agent.send("work", "bob"),
      await agent.send("rest", "ada"),
    ];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3);
    expect(seen).toEqual(["m-work", "m-work", "m-rest"]);
  });

  it("a task takes a repeated message once, and the repetition gets the stream of the task", async () => {
    const { agent, seen } = counted();
    const { id } = await agent.send("ask", "ada");
    expect((await agent.send("ask", "ada")).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const answer = message("answer", { taskId: id });
    const first = await agent.send(answer, "ada");
    const again = await agent.send(answer, "ada");
    expect([first.status.state, again]).toEqual(["TASK_STATE_COMPLETED", first]);
    const events: unknown[] = [];
    for await (const event of await agent.service.sendStreamingMessage(
      answer,
      agent.context("ada"),
    ))
      events.push(event);
    expect(events).toMatchObject([{ task: { id, status: { state: "TASK_STATE_COMPLETED" } } }]);
    expect(seen).toEqual(["m-ask", "m-answer"]);
  });
});
