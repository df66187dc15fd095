import { describe, expect, it, vi } from "vitest";
import type { StreamResponse } from "../../../../../generated/1.1-draft/models.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import { completed, textOf, working } from "../../../../../library/kit/turns/updates.js";
import { gists, kitAgent, message } from "../../../../support/kit.js";
import { Scheduler, useOwnTimers } from "../../../../support/kit-model/scheduler.js";

const never = new Promise<never>(() => undefined);

/** Faults of a store's method. */
const faults: Record<string, () => unknown> = {
  rejects: () => Promise.reject(new Error("The engine is gone")),
  throws: () => {
    throw new Error("The engine is gone");
  },
  "returns nothing": () => Promise.resolve(undefined),
  "returns nonsense": () => Promise.resolve({}),
  "never answers": () => never,
};

const methods = [
  "create",
  "append",
  "read",
  "post",
  "watch",
  "next",
  "list",
  "renew",
  "claimExpired",
] as const;
const rows = methods
  .flatMap((method) => Object.keys(faults).map((fault) => [method, fault] as const))
  // A watch is returned synchronously, so it cannot reject.
  .filter(([method, fault]) => method !== "watch" || fault !== "rejects");

/** Calls that wait forever because they call the faulty method itself. */
const patient = ["early", "get", "list", "cancel", "answer", "subscribe"];

/**
 * Returns a store of which a method fails for the tasks that are called bad, while the fault is
 * there.
 */
function faulty(inner: TaskStore, method: (typeof methods)[number], fault: () => unknown) {
  const state = { isOn: false };
  const bad = new Set<string>();
  const isBad = (given: unknown): boolean => {
    const { id = given } = (given ?? {}) as { id?: unknown };
    return bad.has(String(id));
  };
  const store = new Proxy(inner, {
    get(_, name: keyof TaskStore) {
      return (...given: unknown[]): unknown => {
        const [first, second] = given;
        const task = first as { id: string; history?: { parts: { text: string }[] }[] };
        if (name === "create" && task.history?.[0]?.parts[0]?.text === "bad") bad.add(task.id);
        const concerns =
          ["list", "renew", "claimExpired"].includes(name) || isBad(first) || isBad(second);
        const fails = state.isOn && concerns;
        if (fails && name === method) return fault();
        const own: unknown = Reflect.get(inner, name);
        const found: unknown = typeof own === "function" ? Reflect.apply(own, inner, given) : own;
        if (name !== "watch" || method !== "next") return found;
        const watch = found as { next(): unknown; close(): void };
        return {
          next: () => (state.isOn && isBad(first) ? fault() : watch.next()),
          close: () => watch.close(),
        };
      };
    },
  });
  return { store, state };
}

/** Plays the same scene with each fault; returns how the calls went. */
async function play(method: (typeof methods)[number], fault: string) {
  const scheduler = new Scheduler();
  const now = (): number => scheduler.now;
  const memory = memoryStore({ now });
  const { store, state } = faulty(memory, method, faults[fault] ?? (() => undefined));
  const agent = kitAgent({
    store,
    now,
    leaseMs: 3_000,
    async *run({ message: asked }) {
      yield working();
      await scheduler.gate();
      return completed(textOf(asked));
    },
  });
  const calls: Record<string, string> = {};
  const note = (name: string, promise: Promise<unknown>): void => {
    calls[name] = "waits";
    promise.then(
      () => (calls[name] = "answered"),
      (error: unknown) => (calls[name] = error instanceof Error ? "refused" : "strange"),
    );
  };
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await scheduler.settle();
      scheduler.advance(1_000);
      await scheduler.settle();
    }
  };
  const good = gists(await agent.stream("good"));
  if (method !== "create") note("early", agent.send("bad"));
  state.isOn = method === "create" || method === "watch";
  if (method === "create" || method === "watch") note("early", agent.send("bad"));
  await pass(1);
  state.isOn = true;
  const { tasks } = await memory.list({ tenant: "", owner: "" }, { limit: 10 });
  const { id } = tasks.find(({ task }) => task.history?.[0]?.parts[0]?.text === "bad")?.task ?? {
    id: "none",
  };
  note("get", agent.get(id));
  note("list", agent.list());
  note("answer", agent.send(message("more", { taskId: id })));
  note(
    "subscribe",
    agent.subscribe(id).then((events) => drain(events)),
  );
  await pass(2);
  note("cancel", agent.cancel(id));
  scheduler.openAll();
  await pass(20);
  state.isOn = false;
  await pass(20);
  expect((await good).at(-1), "another task").toBe("completed good");
  expect(new Set(agent.errors).size, "each error is reported once").toBe(agent.errors.length);
  await agent.close();
  await scheduler.settle();
  expect(vi.getTimerCount(), "timers").toBe(0);
  return calls;
}

async function drain(events: AsyncIterable<StreamResponse>): Promise<void> {
  const reader = events[Symbol.asyncIterator]();
  while ((await reader.next()).done !== true);
}

describe("a store with a faulty method", () => {
  useOwnTimers();

  it.each(rows)(
    "a store whose %s %s harms no other task and no other call",
    async (method, fault) => {
      const calls = await play(method, fault);
      for (const [name, outcome] of Object.entries(calls)) {
        if (fault === "never answers" && patient.includes(name)) continue;
        expect(outcome, name).not.toBe("waits");
        expect(outcome, name).not.toBe("strange");
      }
    },
  );
});
