import { describe, expect, it } from "vitest";
import { InternalError } from "../../../../../generated/1.1-draft/errors.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import {
  authRequired,
  completed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { gists, kitAgent, message } from "../../../../support/kit.js";

describe("a task service", () => {
  it("the service streams the task first and then its changes", async () => {
    const agent = kitAgent({
      async *run() {
        yield working("Thinking");
        await Promise.resolve();
        yield* artifact("answer").from(["a", "b", "c"]);
        return completed();
      },
    });
    expect(await gists(await agent.stream("hello"))).toEqual([
      "task submitted",
      "working Thinking",
      "answer a",
      "answer+ b",
      "answer+ c.",
      "completed",
    ]);
  });

  it("the service passes the state of a turn to the next turn", async () => {
    const agent = kitAgent<{ topic: string }>({
      async *run({ message: asked, state }) {
        if (state === undefined)
          return inputRequired("For whom?", { state: { topic: textOf(asked) } });
        yield working();
        return completed(`${state.topic} for ${textOf(asked)}`);
      },
    });
    const first = await agent.send("tea");
    expect(first.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const second = await agent.send(message("Ada", { taskId: first.id }));
    expect(second.status.message && textOf(second.status.message)).toBe("tea for Ada");
    expect(second.history?.map(textOf)).toEqual(["tea", "For whom?", "Ada"]);
  });

  it("turns and replies receive the owner of the caller's tasks", async () => {
    const owners: string[] = [];
    const agent = kitAgent({
      owner: (user) => `owner of ${user}`,
      reply: ({ owner }) => void owners.push(owner),
      *run({ owner, user }) {
        owners.push(owner, user);
        yield working();
        return completed();
      },
    });
    await agent.send("a", "ada");
    await agent.send(message("b"));
    expect(owners).toEqual(["owner of ada", "owner of ada", "ada", "", "", ""]);
  });

  it("a writer that appends begins an artifact that the task does not have", async () => {
    const agent = kitAgent<number>({
      *run({ state = 0 }) {
        for (const name of state === 0 ? ["a"] : ["a", "b"]) {
          yield artifact(name, undefined, { append: true, description: name }).finish(
            String(state),
          );
        }
        return state === 0 ? inputRequired("And?", { state: 1 }) : completed();
      },
    });
    const { id } = await agent.send("one");
    expect(await gists(await agent.stream(message("two", { taskId: id })))).toEqual([
      "task input_required",
      "working",
      "a+ 1.",
      "b 1.",
      "completed",
    ]);
    expect((await agent.get(id)).artifacts).toEqual([
      { artifactId: "a", name: "a", description: "a", parts: [{ text: "0" }, { text: "1" }] },
      { artifactId: "b", name: "b", description: "b", parts: [{ text: "1" }] },
    ]);
  });

  it("a sender gets the task as it was at the pause, with the messages that others sent before", async () => {
    const agent = kitAgent({
      async *run({ pending }) {
        const more = await pending.next();
        yield authRequired(`Sign in for ${textOf(more)}`);
        yield working();
        await pending.next();
        return completed();
      },
    });
    const sent = agent.send("tea");
    await new Promise((resolve) => setImmediate(resolve));
    const { tasks } = await agent.list();
    await agent.send(message("two", { taskId: tasks[0]?.id ?? "" }));
    const { history, status } = await sent;
    expect(status.message && textOf(status.message)).toBe("Sign in for two");
    expect(history?.map(textOf)).toEqual(["tea", "two"]);
    await agent.close();
  });

  it("a service that is closed during a turn reports nothing and notifies waiting callers", async () => {
    const agent = kitAgent({
      async *run({ untilAborted }) {
        yield working();
        await untilAborted(new Promise<never>(() => undefined));
        return completed();
      },
    });
    const [waited, unseen] = [await agent.stream("one"), await agent.stream(message("two"))];
    for await (const event of unseen) if (event.statusUpdate !== undefined) break;
    const seen = gists(waited);
    await agent.close();
    await expect(seen).rejects.toThrow(new InternalError("The agent was closed"));
    expect(agent.errors).toEqual([]);
  });

  it("each service holds leases under a unique name, even if ids are counted", async () => {
    const holders = await Promise.all(
      [0, 1].map(async () => {
        const [store, found] = [memoryStore(), [] as string[]];
        const create: typeof store.create = (task, options) => {
          found.push(options.claim?.holder ?? "");
          return store.create(task, options);
        };
        let count = 0;
        const agent = kitAgent({
          store: new Proxy(store, {
            get: (of, key) => (key === "create" ? create : bound(of, key)),
          }),
          newId: () => String((count += 1)),
          async *run() {
            yield working();
            await new Promise((resolve) => setImmediate(resolve));
            return completed();
          },
        });
        await agent.send("hello");
        return found[0];
      }),
    );
    expect(new Set(holders).size).toBe(2);
  });
});

/** A member of an object, which may be called by itself. */
function bound(of: object, key: PropertyKey): unknown {
  const member: unknown = Reflect.get(of, key);
  return typeof member === "function" ? (member.bind(of) as unknown) : member;
}
