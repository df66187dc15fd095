/* eslint-disable require-yield -- Turns that sleep or end need not report anything. */
import { expect, it, onTestFinished, vi } from "vitest";
import { TaskNotFoundError, UnsupportedOperationError } from "../../../../../library/errors.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskServiceOptions } from "../../../../../library/kit/options.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import type { Turn, Waking } from "../../../../../library/kit/turns/turn.js";
import {
  asleep,
  authRequired,
  canceled,
  completed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { taskService } from "../../../../support/bound-kit.js";
import { gist, kitAgent, message } from "../../../../support/kit.js";
import { Random } from "../../../../support/random/random.js";

const atOnce = { configuration: { returnImmediately: true } };
const never = new Promise<never>(() => undefined);
const scope = { tenant: "", owner: "" };

/** A process that searches for tasks once a second. */
function agentOf(options: TaskServiceOptions<string, number>) {
  const agent = kitAgent<number>({ leaseMs: 3_000, ...options });
  onTestFinished(() => agent.close());
  return agent;
}

/** The data that a turn of {@link sleeper} has begun with. */
interface Begun {
  readonly text: string;
  readonly woken: Waking | undefined;
  readonly state: number | undefined;
}

/** A process whose first turn sleeps until a time, and whose next turn completes the task. */
function sleeper(store: TaskStore, until?: Date, options: { readonly now?: () => number } = {}) {
  const begun: Begun[] = [];
  const agent = agentOf({
    store,
    ...options,
    run: function* (this: void, { message, woken, state }) {
      begun.push({ text: textOf(message), woken, state });
      if (woken === undefined) return asleep({ state: 1, ...(until !== undefined && { until }) });
      return completed("Done");
    },
  });
  return { agent, begun };
}

const first = { text: "work", woken: undefined, state: undefined };

it("a task that sleeps keeps its state, holds no lease, and its caller gets a response", async () => {
  const store = memoryStore();
  const { agent } = sleeper(store);
  const { id, status } = await agent.send("work");
  expect(status.state).toBe("TASK_STATE_WORKING");
  expect((await agent.get(id)).status.state).toBe("TASK_STATE_WORKING");
  const claim = { holder: "other", ttlMs: 1_000 };
  const posted = await store.post(scope, id, { id: "i", wake: {} }, claim);
  expect(posted?.outcome).toBe("leased");
  expect(agent.errors).toEqual([]);
});

it.each([
  { state: "AUTH_REQUIRED", first: authRequired },
  { state: "INPUT_REQUIRED", first: inputRequired },
])(
  "a turn that is woken and sleeps again without a report leaves its task at $state",
  async ({ first: asks }) => {
    const by: string[] = [];
    const agent = agentOf({
      run: function* (this: void, { woken }) {
        if (woken === undefined) return asks("Which?");
        by.push(woken.by);
        return woken.by === "wake" ? asleep({ until: new Date(0) }) : asleep();
      },
    });
    const { id, status } = await agent.send("work");
    await agent.wake({ taskId: id, owner: "" });
    await vi.waitFor(() => expect(by).toEqual(["wake", "time"]));
    await agent.close();
    expect((await agent.get(id)).status).toEqual(status);
  },
);

it.each([
  { part: "id", target: {}, options: { id: "order \ud83d" } },
  { part: "id", target: {}, options: { id: "a\0" } },
  { part: "owner", target: { owner: "\ud800" }, options: {} },
  { part: "tenant", target: { tenant: "\ud800" }, options: {} },
  { part: "taskId", target: { taskId: "\ud800" }, options: {} },
])("wake refuses $part if stores could confuse it: %o", async ({ part, target, options }) => {
  const { agent } = sleeper(memoryStore());
  const { id } = await agent.send("work");
  await expect(agent.wake({ taskId: id, owner: "", ...target }, "x", options)).rejects.toThrow(
    `\`${part}\` of wake must not contain NUL or an unpaired surrogate`,
  );
});

it("wake refuses an id that is not a string, and keeps the payload unchanged", async () => {
  const payloads: unknown[] = [];
  const agent = agentOf({
    run: function* (this: void, { woken }) {
      if (woken?.by === "wake") payloads.push(woken.payload);
      return asleep();
    },
  });
  const target = { taskId: (await agent.send("work")).id, owner: "" };
  const options = { id: 5 as unknown as string };
  await expect(agent.wake(target, "x", options)).rejects.toThrow(
    "`id` of wake must be a string, got number",
  );
  const payload = { amount: 1 };
  await agent.wake(target, payload);
  payload.amount = 2;
  await vi.waitFor(() => expect(payloads).toEqual([{ amount: 1 }]));
});

it("a task that sleeps wakes at its time by the clock of the store, with its state", async () => {
  let storeTime = 5_000;
  const store = memoryStore({ now: () => storeTime });
  const { agent, begun } = sleeper(store, new Date(61_000), { now: () => 1_000 });
  const { id } = await agent.send("work");
  storeTime = 64_999;
  const claim = { holder: "other", ttlMs: 1_000 };
  expect((await store.claimExpired(claim, 1)).rows).toEqual([]);
  storeTime = 65_000;
  await vi.waitFor(async () =>
    expect((await agent.get(id)).status.state).toBe("TASK_STATE_COMPLETED"),
  );
  expect(begun).toEqual([first, { text: "work", woken: { by: "time" }, state: 1 }]);
});

it("a time in the past wakes the task at the next search", async () => {
  const { agent, begun } = sleeper(memoryStore(), new Date(0));
  await agent.send("work");
  await vi.waitFor(() => expect(begun[1]?.woken).toEqual({ by: "time" }));
});

it("`wake` of the same process begins the next turn with its payload", async () => {
  const { agent, begun } = sleeper(memoryStore());
  const { id } = await agent.send("work");
  const stream = await agent.subscribe(id);
  await agent.wake({ taskId: id, owner: "" }, { approved: true });
  const events: string[] = [];
  for await (const event of stream) events.push(gist(event));
  expect(events).toEqual(["task working", "completed Done"]);
  const woken = { by: "wake", payload: { approved: true } };
  expect(begun).toEqual([first, { text: "work", woken, state: 1 }]);
});

it("`wake` of a process without an agent begins the next turn in a process with an agent", async () => {
  const store = memoryStore();
  const { agent, begun } = sleeper(store);
  const { id } = await agent.send("work");
  const outside = taskService({ store, run: () => never as never });
  await outside.wake({ taskId: id, owner: "" });
  await vi.waitFor(() => expect(begun[1]?.woken).toEqual({ by: "wake" }));
});

it("a message wakes the task, and its stream continues in the next turn", async () => {
  const { agent, begun } = sleeper(memoryStore());
  const { id } = await agent.send("work");
  const stream = await agent.stream(message("now", { taskId: id }));
  const events: string[] = [];
  for await (const event of stream) events.push(gist(event));
  expect(events).toEqual(["task working", "completed Done"]);
  expect(begun).toEqual([first, { text: "now", woken: { by: "message" }, state: 1 }]);
});

it("the stream of a message stays open while the task sleeps", async () => {
  const { agent } = sleeper(memoryStore());
  const stream = await agent.stream("work");
  const events: string[] = [];
  for await (const event of stream) {
    events.push(gist(event));
    const id = event.task?.id;
    if (id !== undefined) await agent.wake({ taskId: id, owner: "" });
  }
  expect(events).toEqual(["task submitted", "working", "completed Done"]);
});

it("a cancel request wakes the task for a turn that can clean up, whose signal is aborted", async () => {
  const seen: unknown[] = [];
  const agent = agentOf({
    run: async function* (this: void, { woken, signal, cancellation, untilAborted }) {
      if (woken === undefined) return asleep();
      seen.push(woken, signal.aborted, cancellation()?.metadata);
      await untilAborted(never).catch(() => undefined);
      yield working("Removing the reservation");
      return canceled("The reservation is removed");
    },
  });
  const { id } = await agent.send("work");
  const task = await agent.cancel(id);
  expect(task.status.message?.parts[0]?.text).toBe("The reservation is removed");
  expect(seen).toEqual([{ by: "cancel" }, true, {}]);
});

it("a cancel request for a task that was woken and waits for its caller begins a turn that can clean up", async () => {
  const seen: unknown[] = [];
  const agent = agentOf({
    run: function* (this: void, { woken, signal }) {
      if (woken === undefined) return asleep();
      seen.push(woken, signal.aborted);
      return woken.by === "wake" ? inputRequired("Which?") : canceled("The job is stopped");
    },
  });
  const { id } = await agent.send("work");
  await agent.wake({ taskId: id, owner: "" });
  const stateOf = async () => (await agent.get(id)).status.state;
  await vi.waitFor(async () => expect(await stateOf()).toBe("TASK_STATE_INPUT_REQUIRED"));
  const { status } = await agent.cancel(id);
  expect(status.message?.parts[0]?.text).toBe("The job is stopped");
  expect(seen).toEqual([{ by: "wake" }, false, { by: "cancel" }, true]);
});

it.each([
  ["never ends", () => never],
  ["throws", () => Promise.reject(new Error("no"))],
  ["sleeps again", () => Promise.resolve(asleep())],
  ["completes the task", () => Promise.resolve(completed())],
])("a turn that a cancel request has woken and that %s cancels its task", async (_, end) => {
  const agent = agentOf({
    limits: { cancelWithinMs: 50 },
    run: async function* (this: void, { woken }) {
      return woken === undefined ? asleep() : end();
    },
  });
  const { id } = await agent.send("work");
  expect((await agent.cancel(id)).status.state).toBe("TASK_STATE_CANCELED");
});

it("a request to wake a task that is at work begins the turn after the running turn", async () => {
  let open!: () => void;
  const held = new Promise<void>((resolve) => (open = resolve));
  const begun: (Waking | undefined)[] = [];
  const agent = agentOf({
    run: async function* (this: void, { woken }) {
      begun.push(woken);
      yield working();
      if (woken !== undefined) return completed();
      await held;
      return asleep({ until: new Date(0) });
    },
  });
  const { id } = await agent.send({ ...message("work"), ...atOnce });
  await agent.wake({ taskId: id, owner: "" }, 1);
  open();
  const done = async () => (await agent.get(id)).status.state;
  await vi.waitFor(async () => expect(await done()).toBe("TASK_STATE_COMPLETED"));
  expect(begun).toEqual([undefined, { by: "wake", payload: 1 }]);
});

it("a request to wake a task that waits for its caller begins a turn", async () => {
  const agent = agentOf({
    run: function* (this: void, { woken }) {
      return woken === undefined ? inputRequired("Which?") : completed("Found");
    },
  });
  const { id } = await agent.send("work");
  await agent.wake({ taskId: id, owner: "" });
  const state = async () => (await agent.get(id)).status.state;
  await vi.waitFor(async () => expect(await state()).toBe("TASK_STATE_COMPLETED"));
});

it("a request to wake a task with the same id wakes it once, also after a turn has taken it", async () => {
  const woken: unknown[] = [];
  const agent = agentOf({
    run: function* (this: void, turn) {
      if (turn.woken !== undefined) woken.push(turn.woken);
      return asleep();
    },
  });
  const { id } = await agent.send("work");
  const target = { taskId: id, owner: "" };
  await agent.wake(target, "paid", { id: "payment-1" });
  await vi.waitFor(() => expect(woken).toHaveLength(1));
  await agent.wake(target, "paid", { id: "payment-1" });
  await agent.wake(target, "paid", { id: "payment-2" });
  await vi.waitFor(() => expect(woken).toHaveLength(2));
  expect(agent.errors).toEqual([]);
});

it("`wake` rejects tasks of other owners, full inboxes and invalid values, and tells whether the task has ended", async () => {
  const agent = agentOf({
    limits: { maxPending: 2 },
    run: async function* (this: void, { message, signal }) {
      if (textOf(message) === "end") return completed();
      yield working();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return completed();
    },
  });
  const [ended, busy] = [
    await agent.send("end", "ada"),
    await agent.send({ ...message("stay"), ...atOnce }, "ada"),
  ];
  const wake = (taskId: string, owner = "ada") => agent.wake({ taskId, owner });
  await expect(wake(busy.id, "eve")).rejects.toThrow(TaskNotFoundError);
  await expect(wake("unknown")).rejects.toThrow(TaskNotFoundError);
  await expect(agent.wake({ taskId: busy.id, owner: "ada", tenant: "t" })).rejects.toThrow(
    TaskNotFoundError,
  );
  expect(await wake(ended.id)).toBe(false);
  expect(await Promise.all([wake(busy.id), wake(busy.id)])).toEqual([true, true]);
  await expect(wake(busy.id)).rejects.toThrow(UnsupportedOperationError);
  await expect(wake(busy.id)).rejects.toThrow("limits.maxPending is 2");
  await expect(agent.wake({ taskId: busy.id } as never)).rejects.toThrow("a string `owner`");
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const target = { taskId: busy.id, owner: "ada" };
  await expect(agent.wake(target, cycle as never)).rejects.toThrow("must be JSON");
  await expect(agent.wake(target, 1n as never)).rejects.toThrow("must be JSON");
});

it("`asleep` refuses a time that is not a valid date", () => {
  expect(() => asleep({ until: new Date(NaN) })).toThrow(RangeError);
  expect(() => asleep({ until: 5 as never })).toThrow("`until` of asleep() must be a valid Date");
});

it("a turn that was woken by the time reports nothing if it sleeps again", async () => {
  let count = 0;
  const agent = agentOf({
    run: function* (this: void) {
      count += 1;
      return count < 4 ? asleep({ until: new Date(0) }) : completed();
    },
  });
  const { id } = await agent.send("work");
  const events: string[] = [];
  for await (const event of await agent.subscribe(id)) events.push(gist(event));
  expect([count, events]).toEqual([4, ["task working", "completed"]]);
});

it("a resumed turn has the same waking, and a takeover of a task that sleeps is not audited", async () => {
  const store = memoryStore({ now: () => 0 });
  const { agent } = sleeper(store);
  const { id } = await agent.send("work");
  await agent.close();
  const killed = agentOf({
    store,
    run: async function* (this: void) {
      yield working("Woken");
      await never;
      return completed();
    },
  });
  await killed.wake({ taskId: id, owner: "" }, "go");
  const said = async () => (await killed.get(id)).status.message?.parts[0]?.text;
  await vi.waitFor(async () => expect(await said()).toBe("Woken"));
  await killed.close();
  const seen: Pick<Turn, "resumed" | "woken" | "state">[] = [];
  const actions: string[] = [];
  const last = agentOf({
    store,
    audit: ({ action }) => void actions.push(action),
    run: function* (this: void, { resumed, woken, state }) {
      seen.push({ resumed, woken, state });
      return asleep({ until: new Date(0) });
    },
  });
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1));
  await last.close();
  const woken = { by: "wake", payload: "go" };
  expect(seen.slice(0, 2)).toEqual([
    { resumed: true, woken, state: 1 },
    { resumed: false, woken: { by: "time" }, state: 1 },
  ]);
  expect(actions).toEqual(["task.takeover"]);
});

/** Processes that share a store, some of which die, and a task that sleeps after each turn. */
class Processes {
  /** Payloads of the turns that were begun and not resumed, and that have ended. */
  readonly begun: unknown[] = [];
  #now = 0;
  readonly #memory = memoryStore({ now: () => this.#now });
  readonly #random: Random;
  readonly #agents: ReturnType<typeof kitAgent<number>>[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
    for (let count = 0; count < 3; count += 1) this.#start(count);
  }

  #start(index: number): void {
    let isDead = false;
    // From its death on, nothing of the process arrives.
    const store = new Proxy(this.#memory, {
      get: (inner, name) => {
        const own: unknown = Reflect.get(inner, name);
        if (typeof own !== "function") return own;
        return (...given: unknown[]): unknown => {
          if (isDead) return never;
          const isWrite = name === "append" || name === "post";
          const dies = isWrite && this.#random.oneIn(12);
          const reached = !dies || this.#random.oneIn(2);
          const result: unknown = reached ? Reflect.apply(own, inner, given) : never;
          if (!dies) return result;
          isDead = true;
          void Promise.resolve(result).catch(() => undefined);
          // The leases of a dead process expire.
          this.#now += 10_000;
          this.#start(index);
          return never;
        };
      },
    });
    this.#agents[index] = kitAgent<number>({
      store,
      leaseMs: 3_000,
      run: async function* (this: void, { woken, checkpoint, state = 0 }) {
        // Effects are exactly once where they are part of the checkpoint.
        if (woken?.by === "wake") await checkpoint(state | (1 << Number(woken.payload)));
        yield working();
        return asleep();
      },
    });
  }

  /** Wakes a task many times, and returns the sum of the payloads that turns have seen. */
  async run(wakes: number): Promise<number> {
    const task = await this.#first();
    for (let count = 0; count < wakes; count += 1) {
      const target = { taskId: task, owner: "" };
      const id = String(count);
      // The caller repeats calls of dead processes, which do not answer.
      for (let isDone = false; !isDone;) {
        const agent = this.#random.pick(this.#agents);
        const given = agent.wake(target, count, { id }).then(() => true);
        const late = new Promise<boolean>((resolve) => setTimeout(resolve, 20, false));
        isDone = await Promise.race([given, late]);
      }
    }
    const stored = await vi.waitFor(
      async () => {
        const found = await this.#memory.read(scope, task);
        expect(found).toMatchObject({ inbox: [], turn: { asleep: true } });
        return found;
      },
      { interval: 5 },
    );
    for (const agent of this.#agents) void agent.close();
    return Number(stored?.checkpoint);
  }

  async #first(): Promise<string> {
    const item = { ...message("work").message };
    const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
    const turn = { id: "i", message: item, asleep: true as const };
    await this.#memory.create({ ...task, history: [item] }, { scope, turn });
    return task.id;
  }
}

it("no request to wake a task is lost if processes die at any write", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const wakes = 12;
    expect(await new Processes(seed).run(wakes), `seed ${String(seed)}`).toBe(2 ** wakes - 1);
  }
}, 120_000);
