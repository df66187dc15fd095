import { expect, it } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskQuery } from "../../../../../library/kit/store/lists.js";
import type { Scope, TaskStore } from "../../../../../library/kit/store.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import type { ContextTask } from "../../../../../library/kit/turns/turn.js";
import {
  canceled,
  completed,
  failed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

interface Calls {
  readonly calls: string;
}

/**
 * Returns an agent whose turns end as their message says, and the related tasks that its turns have
 * found.
 */
function agentWithStates() {
  const found: (readonly ContextTask<Calls>[])[] = [];
  const agent = kitAgent<Calls>({
    limits: { maxTaskBytes: 20_000 },
    async *run({ message: asked, contextTasks, checkpoint }) {
      const text = textOf(asked);
      const state = { calls: text };
      yield working();
      if (text === "look") found.push(await contextTasks(3, { states: true }));
      // The checkpoint is written together with the end.
      else if (text !== "bare") void checkpoint({ calls: "unfinished" });
      if (text === "ask") return inputRequired("What?", { state });
      if (text === "fail") return failed("No", { state });
      if (text === "cancel") return canceled("Over", { state });
      if (text === "large") return completed("Done", { state: { calls: "x".repeat(30_000) } });
      return text === "forget" || text === "look" || text === "bare"
        ? completed("Done")
        : completed("Done", { state });
    },
  });
  const send = (text: string, user = "ada", contextId = "c") =>
    agent.send(message(text, { contextId }), user);
  const states = () => found.at(-1)?.map(({ task, state }) => [textOf(task), state?.calls]);
  return { found, send, states };
}

it("a turn gets the states of the other tasks of its context, ended or not", async () => {
  const { send, states, found } = agentWithStates();
  for (const text of ["one", "fail", "ask"]) await send(text);
  await send("look");
  // Tasks with the same time are in any order.
  expect(new Set(states())).toEqual(
    new Set([
      ["What?", "ask"],
      ["No", "fail"],
      ["Done", "one"],
    ]),
  );
  await send("two");
  await send("look");
  expect(found.map(({ length }) => length)).toEqual([3, 3]);
});

it("a turn gets no states of other contexts and of other owners", async () => {
  const { send, states } = agentWithStates();
  await send("one", "bob");
  await send("two", "ada", "other");
  await send("cancel");
  await send("look");
  expect(states()).toEqual([["Over", "cancel"]]);
});

it("an ended task has no state if its end has none, even if a turn has saved one before", async () => {
  const { send, states } = agentWithStates();
  await send("bare");
  await send("forget");
  await send("look");
  expect(states()).toEqual([
    ["Done", undefined],
    ["Done", undefined],
  ]);
});

it("a task fails without a state if the state of its end makes it too large", async () => {
  const { send, states } = agentWithStates();
  const { status } = await send("large");
  expect(status.state).toBe("TASK_STATE_FAILED");
  await send("look");
  expect(states()?.[0]?.[1]).toBeUndefined();
});

it("the other tasks of the context have their artifacts, also if a store must be asked for them", async () => {
  const store: TaskStore = memoryStore();
  const list = store.list.bind(store);
  const found: string[] = [];
  store.list = async (scope: Scope, query: TaskQuery) => {
    const page = await list(scope, query);
    if (query.artifacts === true) return page;
    const tasks = page.tasks.map(({ task, ...rest }) => ({
      ...rest,
      task: { ...task, artifacts: [] },
    }));
    return { ...page, tasks };
  };
  const agent = kitAgent({
    store,
    async *run({ contextTasks }) {
      found.push(...(await contextTasks()).map(textOf));
      yield artifact("answer").text("Hello");
      return completed();
    },
  });
  await agent.send(message("one", { contextId: "c" }));
  await agent.send(message("two", { contextId: "c" }));
  expect(found).toEqual(["Hello"]);
});
