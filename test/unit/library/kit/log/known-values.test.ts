import { expect, it } from "vitest";
import { sizeOfEvent } from "../../../../../library/kit/limits/size.js";
import { applyEntries } from "../../../../../library/kit/log/fold.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { TaskState } from "../../../../../library/kit/model.js";
import type { CreateOptions, Entry, TaskStore } from "../../../../../library/kit/store.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import type { Turn, TurnGenerator } from "../../../../../library/kit/turns/turn.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

function eventBytesOf(entries: readonly Entry[]): number {
  let bytes = 0;
  for (const entry of entries) if ("event" in entry) bytes += sizeOfEvent(entry.event);
  return bytes;
}

/** Returns a store that compares the values that writers have computed with its own. */
function checkingStore(): { readonly store: TaskStore; readonly checked: string[] } {
  const store = memoryStore();
  const checked: string[] = [];
  const create: TaskStore["create"] = (task, options) => {
    const { entries = [], eventBytes, result, claim } = options;
    expect(eventBytes).toBe(eventBytesOf(entries));
    expect(result).toEqual(claim === undefined ? applyEntries(task, entries) : undefined);
    checked.push(result === undefined ? "create" : "create ended");
    return store.create(task, options);
  };
  const append: TaskStore["append"] = (lease, entries, options) => {
    expect(options?.eventBytes).toBe(eventBytesOf(entries));
    checked.push("append");
    return store.append(lease, entries, options);
  };
  const own: Partial<TaskStore> = { create, append };
  const checking = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return { store: checking, checked };
}

async function* reply({ message: { parts } }: Turn): TurnGenerator {
  const [{ text = "" } = {}] = parts;
  yield working(text, { metadata: { progress: 1 } });
  if (text === "slow") await new Promise((resolve) => setImmediate(resolve));
  yield artifact("Reply", undefined, { metadata: { text } }).parts({ data: { text } }, { text });
  return text === "ask" ? inputRequired("Which one?") : completed("Here it is");
}

it("a writer passes the size of its events and the task that they result in to the store", async () => {
  const { store, checked } = checkingStore();
  const agent = kitAgent({ run: reply, store });
  await agent.send(message("quick"));
  expect(checked).toEqual(["create ended"]);
  await agent.send(message("slow"));
  const { id } = await agent.send(message("ask"));
  await agent.send({ message: { ...message("again").message, taskId: id } });
  expect(checked).toEqual(["create ended", "create", "append", "create ended", "append"]);
});

it("the memory store stores the same task and size with and without these values", async () => {
  const scope = { tenant: "", owner: "ada" };
  const task = {
    id: "t",
    contextId: "c",
    status: { state: TaskState.Submitted, timestamp: "2026-01-01T00:00:00.000Z" },
  };
  const status = { state: TaskState.Completed, timestamp: "2026-01-01T00:00:01.000Z" };
  const event = { statusUpdate: { taskId: "t", contextId: "c", status, metadata: { ok: true } } };
  const entries = [{ generation: 2, event }];
  const options = { scope, turn: { id: "i" }, entries };
  const known = { result: applyEntries(task, entries), eventBytes: eventBytesOf(entries) };
  const stored = async (given: CreateOptions) => {
    const store = memoryStore();
    await store.create(task, given);
    return [await store.read(scope, "t"), await store.usage(scope, true)];
  };
  expect(await stored({ ...options, ...known })).toEqual(await stored(options));
});
