import { describe, expect, it } from "vitest";
import type { StreamResponse } from "../../../../../generated/1.1-draft/models.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { DeletionTarget } from "../../../../../library/kit/engine/deletion.js";
import type { ErasureTarget, TaskStore } from "../../../../../library/kit/store.js";
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

/** A store that notes what it is asked to delete, and says that it has deleted so many. */
function forgetful(...counts: number[]) {
  const asked: ErasureTarget[] = [];
  const erase: TaskStore["erase"] = (target) => {
    asked.push(target);
    return Promise.resolve(counts.shift() ?? 0);
  };
  return { store: Object.assign(memoryStore(), { erase }), asked };
}

/** An agent whose turns wait until their signal aborts. */
function waitingOn(store: TaskStore) {
  const reasons: unknown[] = [];
  const agent = kitAgent({
    store,
    async *run({ untilAborted }) {
      yield working("Thinking");
      await untilAborted(new Promise(() => undefined)).catch((reason: unknown) =>
        reasons.push(reason),
      );
      return completed("Done");
    },
  });
  return { agent, reasons };
}

describe("deleting tasks on request", () => {
  it.each<[target: DeletionTarget, erased: ErasureTarget]>([
    [{ owner: "ada" }, { tenant: "", owner: "ada" }],
    [{ owner: "" }, { tenant: "", owner: "" }],
    [
      { tenant: "acme", owner: "ada" },
      { tenant: "acme", owner: "ada" },
    ],
    [
      { tenant: "acme", owner: "ada", taskId: "t1" },
      { tenant: "acme", owner: "ada", taskId: "t1" },
    ],
    [{ tenant: "acme", everyOwner: true }, { tenant: "acme" }],
  ])(
    "deleteTasks repeats the call until the store has no matching task: %j",
    async (target, erased) => {
      const { store, asked } = forgetful(100, 100, 7);
      const { deleteTasks, close } = kitAgent({ store, run: () => raise() });
      expect(await deleteTasks(target)).toBe(207);
      expect(asked).toEqual(Array(4).fill(erased));
      await close();
    },
  );

  it.each<[target: unknown, problem: string]>([
    [{}, "deleteTasks requires either a string `owner`, or `everyOwner: true`"],
    [{ tenant: "acme" }, "deleteTasks requires either a string `owner`, or `everyOwner: true`"],
    [{ owner: undefined }, "deleteTasks requires either a string `owner`, or `everyOwner: true`"],
    [
      { owner: null, taskId: "t1" },
      "deleteTasks requires either a string `owner`, or `everyOwner: true`",
    ],
    [
      { taskId: "t1", everyOwner: true, tenant: "" },
      "deleteTasks requires either a string `owner`, or `everyOwner: true`",
    ],
    [
      { owner: "ada", everyOwner: true, tenant: "" },
      "deleteTasks requires either a string `owner`, or `everyOwner: true`",
    ],
    [{ owner: "ada", taskId: "" }, "`taskId` of deleteTasks must be a string that is not empty"],
    [{ owner: "ada", taskId: null }, "`taskId` of deleteTasks must be a string that is not empty"],
    [{ owner: "ada", tenant: null }, "`tenant` of deleteTasks must be a string"],
  ])("deleteTasks refuses a target that may be a mistake: %j", async (target, problem) => {
    const { store, asked } = forgetful(1);
    const { deleteTasks } = kitAgent({ store, run: () => raise() });
    await expect(deleteTasks(target as DeletionTarget)).rejects.toThrow(problem);
    expect(asked).toEqual([]);
  });

  it("deleteTasks fails if the store does not support it", async () => {
    const { deleteTasks } = kitAgent({ store: Object.assign(memoryStore(), { erase: undefined }), run: () => raise() }); // prettier-ignore
    await expect(deleteTasks({ owner: "ada" })).rejects.toThrow(
      "The store must have a method `erase`",
    );
  });

  it("deleteTasks aborts the turns of the deleted tasks only, ends their streams and reports no error", async () => {
    const { store } = forgetful(1);
    const { agent, reasons } = waitingOn(store);
    const streams = new Map<string, AsyncIterator<StreamResponse>>();
    for (const user of ["ada", "bob"]) {
      const events = (await agent.stream(message(user), user))[Symbol.asyncIterator]();
      streams.set(user, events);
      // The task is stored, and its turn at work.
      await events.next();
      await events.next();
    }
    const ended = streams.get("ada")?.next();
    expect(await agent.deleteTasks({ owner: "ada" })).toBe(1);
    await expect(ended).rejects.toMatchObject({ name: "TaskNotFoundError" });
    expect(reasons.map(String)).toEqual([expect.stringMatching(/The task .* was deleted$/)]);
    expect((await agent.list({}, "bob")).tasks).toMatchObject([
      { status: { state: "TASK_STATE_WORKING" } },
    ]);
    expect(agent.errors).toEqual([]);
    await agent.close();
  });
});

function raise(): never {
  throw new Error("The agent has no open turn");
}
