import { expect, it, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import {
  completed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { gist, kitAgent, message } from "../../../../support/kit.js";
import { errorOf } from "../../../../support/errors.js";

type Agent = ReturnType<typeof kitAgent<unknown>>;

const atOnce = { ...message("work"), configuration: { returnImmediately: true } };
const never = new Promise<never>(() => undefined);

/** Lets a test decide when the answers to a method arrive. */
function holding(inner: TaskStore, method: "post" | "append") {
  const held: (() => void)[] = [];
  const state = { held, isOn: false };
  const store = new Proxy(inner, {
    get(_, name) {
      const own: unknown = Reflect.get(inner, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown => {
        const found: unknown = Reflect.apply(own, inner, given);
        if (name !== method || !state.isOn) return found;
        return new Promise<void>((resolve) => held.push(resolve)).then(() => found);
      };
    },
  });
  return { store, state };
}

it("a process that claims a task sees messages that were posted before it noticed the expired lease", async () => {
  let now = 0;
  const memory = memoryStore({ now: () => now });
  const { store, state } = holding(memory, "post");
  const [first, second] = [memory, store].map((of) =>
    kitAgent({
      store: of,
      now: () => now,
      async *run({ resumed }) {
        if (!resumed) yield working();
        await never;
        return completed();
      },
      limits: { cancelWithinMs: 1 },
    }),
  );
  const { id } = (await first?.send(atOnce)) ?? { id: "" };
  await first?.close();
  now += 60_000;
  state.isOn = true;
  const sent = second?.send(message("more", { taskId: id }));
  await vi.waitFor(() => expect(state.held).toHaveLength(1));
  state.isOn = false;
  const canceled = second?.cancel(id);
  await new Promise((resolve) => setImmediate(resolve));
  state.held.shift()?.();
  await expect(sent).rejects.toMatchObject({ name: "UnsupportedOperationError" });
  expect((await canceled)?.status.state).toBe("TASK_STATE_CANCELED");
  await second?.close();
});

it("a message that a turn takes during a write is not in the inbox after the write", async () => {
  const { store, state } = holding(memoryStore(), "append");
  const read: (string | undefined)[] = [];
  const steps: (() => void)[] = [];
  const step = () => new Promise<void>((resolve) => steps.push(resolve));
  const agent = kitAgent({
    store,
    async *run({ pending }) {
      const take = (): unknown => {
        const found = pending.take();
        return read.push(found && textOf(found));
      };
      yield working();
      await step();
      yield working("again");
      await step();
      take();
      await step();
      take();
      return completed();
    },
  });
  const { id } = await agent.send(atOnce);
  const sent = agent.send(message("more", { taskId: id }));
  await new Promise((resolve) => setImmediate(resolve));
  state.isOn = true;
  const goOn = async (writes: number): Promise<void> => {
    await vi.waitFor(() => expect(steps).toHaveLength(1));
    steps.shift()?.();
    await vi.waitFor(() => expect(state.held).toHaveLength(writes));
  };
  await goOn(1);
  await goOn(1);
  // The write that the turn did not wait for is answered: at that time, the message was in the
  // inbox.
  state.held.shift()?.();
  await vi.waitFor(() => expect(state.held).toHaveLength(1));
  await goOn(1);
  state.isOn = false;
  state.held.shift()?.();
  expect((await sent).status.state).toBe("TASK_STATE_COMPLETED");
  expect(read).toEqual(["more", undefined]);
});

/**
 * Has a task end after something was posted early, which its worker gets to know when something
 * else was posted late.
 */
async function ending(
  inner: TaskStore,
  early: (agent: Agent, id: string) => void,
  late = early,
): Promise<void> {
  const { store, state } = holding(inner, "append");
  const steps: (() => void)[] = [];
  const step = () => new Promise<void>((resolve) => steps.push(resolve));
  const agent = kitAgent({
    store,
    async *run() {
      await step();
      yield working();
      await step();
      return completed();
    },
  });
  const { id } = await agent.send(atOnce);
  state.isOn = true;
  steps.shift()?.();
  await vi.waitFor(() => expect([steps.length, state.held.length]).toEqual([1, 1]));
  early(agent, id);
  steps.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  state.held.shift()?.();
  await vi.waitFor(() => expect(state.held).toHaveLength(1));
  expect((await agent.get(id)).status.state).toBe("TASK_STATE_COMPLETED");
  late(agent, id);
  await new Promise((resolve) => setImmediate(resolve));
  state.isOn = false;
  state.held.shift()?.();
}

it("a task that ends while it is canceled reports its end to all callers that cancel it", async () => {
  const canceled: Promise<unknown>[] = [];
  await ending(memoryStore(), (agent, id) => {
    canceled.push(agent.cancel(id).catch((error: unknown) => error));
  });
  expect(canceled).toHaveLength(2);
  for (const each of canceled) expect(await each).toMatchObject({ name: "TaskNotCancelableError" });
});

it("a sender that only missed messages after the end of the task gets no repeated event", async () => {
  const memory = memoryStore({ maxLog: 2 });
  const watch = memory.watch.bind(memory);
  memory.watch = (scope, id, after) => {
    const own = watch(scope, id, after);
    const next = async () => {
      const found = await own.next();
      await vi.waitFor(async () => expect((await memory.read(scope, id))?.inbox).toEqual([]));
      return found;
    };
    return { next, close: own.close.bind(own) };
  };
  const followed: Promise<string[]>[] = [];
  const follow = async (agent: Agent, text: string, taskId: string): Promise<string[]> => {
    const seen: string[] = [];
    try {
      for await (const event of await agent.stream(message(text, { taskId })))
        seen.push(gist(event));
    } catch (error) {
      seen.push(errorOf(error).name);
    }
    return seen;
  };
  const early = (agent: Agent, id: string): void => {
    for (const text of ["a", "b", "c"]) followed.push(follow(agent, text, id));
  };
  await ending(memory, early, () => undefined);
  for (const seen of await Promise.all(followed))
    expect(seen).toEqual(["task working", "completed", "UnsupportedOperationError"]);
});

it("a task is on at most one page of a list even if the clocks of the processes differ", async () => {
  const store = memoryStore();
  let isDone = false;
  const agentWith = (now: () => number) =>
    kitAgent({
      store,
      now,
      *run() {
        yield working();
        return isDone ? completed() : inputRequired("And?");
      },
    });
  const [ahead, behind] = [agentWith(() => Date.now() + 3_600_000), agentWith(() => Date.now())];
  const { id: other } = await behind.send("other");
  const { id: moved } = await ahead.send("moved");
  const first = await behind.list({ pageSize: 1 });
  isDone = true;
  const { status } = await behind.send(message("go on", { taskId: moved }));
  const { status: before } = first.tasks[0] ?? {};
  expect(Date.parse(status.timestamp ?? "")).toBeGreaterThanOrEqual(
    Date.parse(before?.timestamp ?? ""),
  );
  const rest = await behind.list({ pageSize: 5, pageToken: first.nextPageToken });
  expect([...first.tasks, ...rest.tasks].map(({ id }) => id)).toEqual([moved, other]);
});
