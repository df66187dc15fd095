import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskEnd } from "../../../../../library/kit/observe/task-end.js";
import type { TaskServiceOptions } from "../../../../../library/kit/options.js";
import {
  completed,
  inputRequired,
  rejected,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

const mistake = new Error("no such tea");

function agentOn(options: Partial<TaskServiceOptions<string>> = {}) {
  const ends: TaskEnd[] = [];
  const agent = kitAgent<unknown>({
    onTaskEnd: (end) => void ends.push(end),
    async *run({ message: { parts }, untilAborted }) {
      const text = parts[0]?.text;
      yield working();
      if (text === "ask") return inputRequired("Which one?");
      if (text === "fail") throw mistake;
      if (text === "reject") return rejected("No");
      if (text === "wait") await untilAborted(new Promise(() => undefined));
      return completed("Done");
    },
    ...options,
  });
  onTestFinished(() => agent.close());
  return { agent, ends };
}

it.each([
  ["brew", "TASK_STATE_COMPLETED", undefined],
  ["fail", "TASK_STATE_FAILED", mistake],
  ["reject", "TASK_STATE_REJECTED", undefined],
])("onTaskEnd receives the end of a task whose message says %s", async (text, state, error) => {
  const { agent, ends } = agentOn();
  const { id, contextId } = await agent.send(text, "ada");
  const end = { taskId: id, contextId, tenant: "", owner: "ada", state, error };
  await vi.waitFor(() => {
    expect(ends.map(({ durationMs, ...rest }) => [rest, typeof durationMs])).toEqual([
      [end, "number"],
    ]);
  });
});

it("onTaskEnd receives the duration of the whole task once, in the process that ends the task", async () => {
  const store = memoryStore();
  let now = Date.now();
  const options = { store, now: () => now };
  const [first, second] = [agentOn(options), agentOn(options)];
  const { id } = await first.agent.send("ask");
  now += 5_000;
  await second.agent.send(message("brew", { taskId: id }));
  await vi.waitFor(() => expect(second.ends).toMatchObject([{ taskId: id, durationMs: 5_000 }]));
  await expect(first.agent.send(message("late", { taskId: id }))).rejects.toThrow("ended");
  expect(first.ends).toEqual([]);
  expect(second.ends).toHaveLength(1);
});

it("onTaskEnd receives a task that another process has canceled in the process of its turn", async () => {
  const store = memoryStore();
  const [first, second] = [agentOn({ store }), agentOn({ store })];
  const { id } = await first.agent.send({
    ...message("wait"),
    configuration: { returnImmediately: true },
  });
  await second.agent.cancel(id);
  await vi.waitFor(() =>
    expect(first.ends).toMatchObject([{ taskId: id, state: "TASK_STATE_CANCELED" }]),
  );
  expect(second.ends).toEqual([]);
});

it("errors of onTaskEnd are reported and affect no call", async () => {
  const { agent } = agentOn({
    onTaskEnd: () => {
      throw mistake;
    },
  });
  await agent.send("brew");
  await vi.waitFor(() => expect(agent.errors).toEqual([mistake]));
});

it("the error of a turn is reported with the id of its task", async () => {
  const { agent } = agentOn();
  const { id } = await agent.send("fail");
  expect(agent.errors).toEqual([mistake]);
  expect(agent.subjects).toEqual([{ taskId: id }]);
});
