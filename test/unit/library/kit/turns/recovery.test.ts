import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskServiceOptions } from "../../../../../library/kit/options.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import type { Turn } from "../../../../../library/kit/turns/turn.js";
import {
  authRequired,
  completed,
  inputRequired,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";
import { startWebhook } from "../../../../support/webhook.js";

const atOnce = { ...message("work"), configuration: { returnImmediately: true } };
const never = new Promise<never>(() => undefined);

/** A process that looks once a second for what others have left. */
function agentOf(options: TaskServiceOptions<string, number>) {
  const agent = kitAgent<number>({ leaseMs: 3_000, ...options });
  onTestFinished(() => agent.close());
  return agent;
}

/** A process whose leases do not expire during a test. */
const patient = { leaseMs: 1_000_000_000 };

/** A store as a process has it that is killed: from then on nothing of it arrives. */
function killable(inner: TaskStore): { readonly store: TaskStore; readonly kill: () => void } {
  let isDead = false;
  const store = new Proxy(inner, {
    get(_, name) {
      const own: unknown = Reflect.get(inner, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown => (isDead ? never : Reflect.apply(own, inner, given));
    },
  });
  return { store, kill: () => void (isDead = true) };
}

it("a process that stops releases its tasks immediately, and another process resumes them without a call", async () => {
  // The leases do not expire.
  const store = memoryStore({ now: () => 0 });
  const first = agentOf({
    store,
    async *run({ checkpoint }) {
      yield working("One");
      await checkpoint(1);
      await never;
      return completed();
    },
  });
  const { id } = await first.send(atOnce);
  await vi.waitFor(async () =>
    expect((await first.get(id)).status.message?.parts[0]?.text).toBe("One"),
  );
  const turns: Turn<string, number>[] = [];
  const second = agentOf({
    store,
    *run(turn) {
      yield working();
      turns.push(turn);
      return completed("Two");
    },
  });
  expect(turns).toEqual([]);
  await first.close();
  expect(first.errors).toEqual([]);
  await vi.waitFor(async () =>
    expect((await second.get(id)).status.state).toBe("TASK_STATE_COMPLETED"),
  );
  expect(turns).toMatchObject([{ resumed: true, state: 1, message: { messageId: "m-work" } }]);
});

it("a resumed turn knows whether it or an earlier turn has saved its state", async () => {
  const store = memoryStore({ now: () => 0 });
  const turns: Turn<string, number>[] = [];
  const run: TaskServiceOptions<string, number>["run"] = async function* (turn) {
    turns.push(turn);
    if (turn.state === undefined) return inputRequired("And?", { state: 1 });
    if (turn.saved === "this") return completed();
    yield working();
    if (turn.resumed) await turn.checkpoint(2);
    await never;
    return completed();
  };
  const first = agentOf({ store, run });
  const { id } = await first.send("work");
  await first.send({
    ...message("answer", { taskId: id }),
    configuration: { returnImmediately: true },
  });
  const stored = () => store.read({ tenant: "", owner: "" }, id);
  await vi.waitFor(async () =>
    expect((await stored())?.task.status.state).toBe("TASK_STATE_WORKING"),
  );
  await first.close();
  const second = agentOf({ store, run });
  await vi.waitFor(async () => expect((await stored())?.checkpoint).toBe(2));
  await second.close();
  agentOf({ store, run });
  await vi.waitFor(() => expect(turns).toHaveLength(4));
  expect(turns.map(({ state, saved, resumed }) => [state, saved, resumed])).toEqual([
    [undefined, undefined, false],
    [1, "earlier", false],
    [1, "earlier", true],
    [2, "this", true],
  ]);
});

it.each(["yielded", "returned"])(
  "a turn that waits for a sign-in which was %s is resumed if it is declared to continue",
  async (how) => {
    let now = 0;
    const memory = memoryStore({ now: () => now });
    const { store, kill } = killable(memory);
    const first = agentOf({
      store,
      async *run({ state }) {
        if (how === "returned" && state === undefined) yield authRequired("Sign in");
        if (how === "returned") return authRequired("At last", { state: 1 });
        yield authRequired("Sign in");
        await never;
        return completed();
      },
    });
    const { id } = await first.send("work");
    const last = how === "yielded" ? "Sign in" : "At last";
    await vi.waitFor(async () =>
      expect((await first.get(id)).status.message?.parts[0]?.text).toBe(last),
    );
    kill();
    now += 10_000;
    const resumed: boolean[] = [];
    const second = agentOf({
      store: memory,
      *run(turn) {
        yield working();
        resumed.push(turn.resumed);
        return completed();
      },
    });
    if (how === "yielded") await vi.waitFor(async () => expect(resumed).toEqual([true]));
    else await second.send(message("done", { taskId: id }));
    await vi.waitFor(async () =>
      expect((await second.get(id)).status.state).toBe("TASK_STATE_COMPLETED"),
    );
    expect(resumed).toEqual([how === "yielded"]);
  },
);

it("a task fails if its turn was resumed too often without an event", async () => {
  const store = memoryStore({ now: () => 0 });
  const append = vi.spyOn(store, "append");
  let count = 0;
  const next = () =>
    agentOf({
      store,
      limits: { maxResumes: 2 },
      async *run() {
        count += 1;
        if (count === 2) yield working();
        await never;
        return completed();
      },
    });
  let agent = next();
  const { id } = await agent.send(atOnce);
  // It is resumed and continues, and then fails to continue twice.
  for (let process = 2; process < 5; process += 1) {
    await agent.close();
    append.mockClear();
    agent = next();
    await vi.waitFor(() => expect(count).toBe(process));
    // A process that stops before this write does not count.
    await vi.waitFor(() => expect(append).toHaveBeenCalled());
  }
  await agent.close();
  agent = next();
  await vi.waitFor(async () =>
    expect((await agent.get(id)).status.state).toBe("TASK_STATE_FAILED"),
  );
  expect(String(agent.errors)).toContain(
    "is not resumed again, because it stopped after 2 resumptions",
  );
  expect(count).toBe(4);
});

it("a turn continues if the engine was suspended for less than a lease", async () => {
  const store = memoryStore();
  const append = store.append.bind(store);
  let failed = 0;
  let isAway = true;
  store.append = (...given) => {
    if (!isAway) return append(...given);
    failed += 1;
    return Promise.reject(new Error("The engine is away"));
  };
  let runs = 0;
  const agent = agentOf({
    store,
    ...patient,
    async *run() {
      yield working();
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 0));
      return completed();
    },
  });
  const sent = agent.send("work");
  await vi.waitFor(() => expect(failed).toBeGreaterThan(4));
  isAway = false;
  expect((await sent).status.state).toBe("TASK_STATE_COMPLETED");
  expect(runs).toBe(1);
});

it("another process posts the events that a stopped process left, without a call", async () => {
  const store = memoryStore();
  const { url, deliveries } = await startWebhook();
  const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_SUBMITTED" as const } };
  const status = { state: "TASK_STATE_COMPLETED" as const };
  const webhook = {
    taskId: "t",
    id: "w",
    config: { taskId: "t", id: "w", url },
    version: "1.1",
    after: 1,
  };
  const entries = [
    { generation: 2, event: { statusUpdate: { taskId: "t", contextId: "c", status } } },
  ];
  await store.create(task, {
    scope: { tenant: "", owner: "" },
    turn: { id: "t" },
    entries,
    webhooks: [webhook],
  });
  agentOf({ store, push: { allowPrivateAddresses: true }, run: () => never as never });
  await vi.waitFor(() => expect(deliveries).toHaveLength(1));
});

it("expired tasks are deleted in batches until the service is closed", async () => {
  const store = memoryStore();
  const forget = vi.spyOn(store, "deleteExpired");
  const agent = agentOf({
    store,
    retention: { maxCount: 2, step: 1, everyMs: 5 },
    run: () => [completed()].values() as never,
  });
  for (const text of ["a", "b", "c", "d"]) await agent.send(text);
  await vi.waitFor(async () => expect((await agent.list()).tasks).toHaveLength(2));
  await agent.close();
  const { length } = forget.mock.calls;
  // An agent that is open deletes tasks of another store meanwhile.
  const other = memoryStore();
  const others = vi.spyOn(other, "deleteExpired");
  agentOf({ store: other, retention: { maxCount: 2, everyMs: 5 }, run: () => never as never });
  await vi.waitFor(() => expect(others.mock.calls.length).toBeGreaterThan(3));
  expect(forget.mock.calls).toHaveLength(length);
  expect(forget.mock.calls[0]).toMatchObject([{ maxCount: 2, step: 1 }]);
});

it("an invalid retention is refused", () => {
  const service = () => kitAgent({ retention: { maxAgeMs: -1 }, run: () => never as never });
  expect(service).toThrow("retention.maxAgeMs must be a number of at least 0");
});
