import { expect, it, vi } from "vitest";
import { memoryStore } from "../../../templates/kit/memory-store.js";
import type { TaskStore, Watch } from "../../../templates/kit/store.js";
import { completed, working } from "../../../templates/kit/updates.js";
import { kitAgent, message } from "../../support/kit.js";

const atOnce = { ...message("work"), configuration: { returnImmediately: true } };
const never = new Promise<never>(() => undefined);

/** A store in memory, and how many of its watches are open. */
function counting() {
  const inner = memoryStore();
  const open = new Set<Watch>();
  const watch: TaskStore["watch"] = (id, after) => {
    const found = inner.watch(id, after);
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
      return name === "watch" ? watch : typeof own === "function" ? own.bind(inner) : own;
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

it("a task that is canceled many times has that in its inbox once", async () => {
  const { store } = counting();
  const agent = silent(store);
  const { id } = await agent.send(atOnce);
  const canceled = Promise.all(Array.from({ length: 100 }, () => agent.cancel(id)));
  await vi.waitFor(async () => expect((await store.read({ tenant: "", owner: "" }, id))?.inbox).toHaveLength(1));
  for (const { status } of await canceled) expect(status.state).toBe("TASK_STATE_CANCELED");
});

it.each(["sendMessage", "cancelTask", "getTask"] as const)(
  "a caller of %s who leaves leaves no watch",
  async (name) => {
    const { store, open } = counting();
    const agent = silent(store, 60_000);
    const { id } = await agent.send(atOnce);
    expect(open.size).toBe(0);
    const controller = new AbortController();
    const context = agent.context("", { signal: controller.signal });
    const calls = {
      sendMessage: () => agent.service.sendMessage?.(message("more", { taskId: id }), context),
      cancelTask: () => agent.service.cancelTask?.({ id }, context),
      getTask: () => agent.service.getTask?.({ id, ...{ currentGeneration: "9" } }, context),
    };
    const called = Promise.resolve(calls[name]()).catch(() => undefined);
    await vi.waitFor(() => expect(open.size).toBe(1));
    controller.abort();
    await called;
    expect(open.size).toBe(0);
  },
);
