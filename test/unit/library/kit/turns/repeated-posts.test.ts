import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import { completed, inputRequired } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

/**
 * Returns a store whose client loses the first response to a post, and repeats the post after
 * `meanwhile`.
 */
function losing(store: TaskStore, meanwhile: (id: string) => Promise<unknown>): TaskStore {
  return new Proxy(store, {
    get(_, name) {
      const own: unknown = Reflect.get(store, name);
      if (typeof own !== "function") return own;
      if (name !== "post") return own.bind(store) as unknown;
      return async (...given: Parameters<TaskStore["post"]>) => {
        await store.post(...given);
        await meanwhile(given[1]);
        return store.post(...given);
      };
    },
  });
}

it.each([
  ["ends", completed("Bye"), "TASK_STATE_COMPLETED"],
  ["pauses", inputRequired("And then?"), "TASK_STATE_INPUT_REQUIRED"],
])(
  "a message whose first response was lost gets its result if its turn %s before the repetition",
  async (_, end, state) => {
    const store = memoryStore();
    // eslint-disable-next-line require-yield -- The turn ends without an update.
    const run = vi.fn(function* ({
      message: { parts },
    }: {
      message: { parts: readonly { text?: string }[] };
    }) {
      return parts[0]?.text === "begin" ? inputRequired("What?") : end;
    });
    // The turn runs in another process, so the first post must not acquire the lease for this
    // process.
    const other = kitAgent({ store, leaseMs: 3_000, run });
    const meanwhile = (id: string): Promise<void> =>
      vi.waitFor(async () => {
        const { generation = 0 } = (await store.read({ tenant: "", owner: "" }, id)) ?? {};
        expect(generation).toBeGreaterThan(2);
      });
    const agent = kitAgent({ store: losing(store, meanwhile), leaseMs: 3_000, run });
    onTestFinished(async () => {
      await Promise.all([agent.close(), other.close()]);
    });
    const { id } = await other.send("begin");
    await other.list();
    const answer = await agent.send(message("go on", { taskId: id }));
    expect(answer.status.state).toBe(state);
    expect(answer.history?.filter(({ role }) => role === "ROLE_USER")).toHaveLength(2);
    expect(run).toHaveBeenCalledTimes(2);
  },
);
