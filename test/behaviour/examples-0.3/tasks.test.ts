import { describe, expect, it, vi } from "vitest";
import { TaskState, type Task } from "../../../generated/0.3.0/index.js";
import { all, opened, refusal } from "../../support/everywhere.js";
import { begin, onEveryTransport, outline, send, text, userMessage } from "./agents.js";

const said = (task: Task): unknown[] =>
  (task.history ?? []).map(({ parts: [part] }) => (part?.kind === "text" ? part.text : part));

describe("talking about a task", () => {
  it("goes on with a task that has asked back, and remembers all that was said", async () => {
    const [asked, done] = await onEveryTransport(async ({ client }) => {
      const first = await send(client, "ask Which color?");
      return [first, await send(client, "green", { taskId: first.id })] as const;
    });
    expect(asked.status.state).toBe(TaskState.InputRequired);
    expect(done).toMatchObject({ id: asked.id, contextId: asked.contextId, status: { state: TaskState.Completed } });
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[text("green")]]);
    expect(said(done)).toEqual(["ask Which color?", "Which color?", "green"]);
  });

  it("works on messages that come in between in their turn, and on equal ones twice", async () => {
    const done = await onEveryTransport(async ({ client }) => {
      const { id } = await begin(client, "slow 300 first");
      const again = (): Promise<Task> => send(client, "again", { taskId: id });
      const [second] = await Promise.all([again(), again()]);
      return second;
    });
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[text("first")], [text("again")], [text("again")]]);
    expect(said(done)).toEqual(["slow 300 first", "again", "again"]);
  });

  it("keeps the conversation that the caller names", async () => {
    const [one, two] = await onEveryTransport(async ({ client }) => [
      await send(client, "a", { contextId: "talk" }),
      await send(client, "b", { contextId: "talk" }),
    ]);
    expect([one.contextId, two.contextId]).toEqual(["talk", "talk"]);
    expect(one.id).not.toBe(two.id);
  });

  it.each([
    ["an unknown task", "none", {}, "TaskNotFoundError"],
    ["a task of another conversation", "id-1", { contextId: "other" }, "InvalidParamsError"],
    ["a task that has ended", "id-1", { contextId: "talk" }, "UnsupportedOperationError"],
  ])("refuses a message to %s", async (_what, taskId, more, name) => {
    const refused = await onEveryTransport(async ({ client }) => {
      await send(client, "done", { contextId: "talk" });
      return refusal(send(client, "more", { taskId, ...more }));
    });
    expect(refused.name).toBe(name);
  });
});

describe("reading a task", () => {
  it.each([
    [undefined, ["ask a?", "a?", "b"]],
    [2, ["a?", "b"]],
    [10, ["ask a?", "a?", "b"]],
  ])("gives the latest messages, as many as the caller wants: %s", async (historyLength, expected) => {
    const length = historyLength === undefined ? {} : { historyLength };
    const tasks = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask a?");
      return [await send(client, "b", { taskId: id }, length), await client.getTask({ id, ...length })];
    });
    expect(tasks.map(said)).toEqual([expected, expected]);
  });

  it("gives no messages where the caller wants none, and the transport can say so", async () => {
    const none = await onEveryTransport(async ({ client }, binding) => {
      const { id } = await send(client, "hi");
      const { history } = await client.getTask({ id, historyLength: 0 });
      // Protobuf has no way to tell 0 from absent here.
      return binding === "GRPC" ? history?.length === 1 : history === undefined;
    });
    expect(none).toBe(true);
  });

  it("refuses a negative number of messages, and names the field", async () => {
    const messages = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "hi");
      const [message, configuration] = [userMessage("hi"), { historyLength: -1 }];
      const refused = await Promise.all([
        refusal(client.getTask({ id, historyLength: -1 })),
        refusal(client.sendMessage({ message, configuration })),
        refusal(all(client.sendStreamingMessage({ message, configuration }))),
      ]);
      return refused.map(({ name, message: says }) => `${name}: ${says}`);
    });
    const nested = "InvalidParamsError: configuration.historyLength must not be negative";
    expect(messages).toEqual(["InvalidParamsError: historyLength must not be negative", nested, nested]);
  });

  it("refuses to give what is not there", async () => {
    const refused = await onEveryTransport(({ client }) => refusal(client.getTask({ id: "none" })));
    expect(refused).toEqual({ name: "TaskNotFoundError", message: "Task not found" });
  });

  it.each(["ü 1", "%2F", "a:cancel", "?x=1#y"])("finds no task of the id %s, and no other", async (id) => {
    const refused = await onEveryTransport(async ({ client }) => {
      await send(client, "hi");
      return refusal(client.getTask({ id }));
    });
    expect(refused.name).toBe("TaskNotFoundError");
  });

  it.each(["a/b", ""])("refuses the id %j where it does not fit into the name of a resource", async (id) => {
    const names = await onEveryTransport(async ({ client }, binding) => {
      const { name } = await refusal(client.getTask({ id }));
      return binding === "JSONRPC" ? name.replace("TaskNotFound", "InvalidParams") : name;
    });
    expect(names).toBe("InvalidParamsError");
  });
});

describe("canceling a task", () => {
  it("stops the work and tells whoever listens", async () => {
    const [canceled, events] = await onEveryTransport(async ({ client }) => {
      const { id } = await begin(client, "slow 60000 never");
      const stream = await opened(client.subscribeToTask({ id }));
      return [await client.cancelTask({ id }), await stream.rest()] as const;
    });
    expect(canceled.status.state).toBe(TaskState.Canceled);
    expect(outline(events)).toEqual(["task working", "status canceled, final"]);
  });

  it("works on a task that waits for its user, but only once", async () => {
    const [canceled, refused] = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      return [await client.cancelTask({ id }), await refusal(client.cancelTask({ id }))] as const;
    });
    expect(canceled.status.state).toBe(TaskState.Canceled);
    expect(refused).toEqual({ name: "TaskNotCancelableError", message: "Task cannot be canceled" });
  });

  it("refuses to cancel what is not there", async () => {
    const refused = await onEveryTransport(({ client }) => refusal(client.cancelTask({ id: "none" })));
    expect(refused.name).toBe("TaskNotFoundError");
  });
});

describe("subscribing to a task", () => {
  it("gives the task as it is, then what happens to it until it ends", async () => {
    const events = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      const stream = await opened(client.subscribeToTask({ id }));
      await send(client, "blue", { taskId: id });
      return stream.rest();
    });
    expect(outline(events)).toEqual([
      "task input-required",
      "status working",
      'artifact ["blue"]',
      "status completed, final",
    ]);
  });

  it("ends with the update that is final, also where the task is only paused", async () => {
    const events = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask one?");
      const stream = await opened(client.subscribeToTask({ id }));
      await send(client, "ask two?", { taskId: id });
      return stream.rest();
    });
    expect(outline(events)).toEqual(["task input-required", "status working", "status input-required, final"]);
  });

  it.each([
    ["an unknown task", "none", "TaskNotFoundError"],
    ["a task that has ended", "id-1", "UnsupportedOperationError"],
  ])("refuses %s", async (_what, id, name) => {
    const refused = await onEveryTransport(async ({ client }) => {
      await send(client, "hi");
      return refusal(all(client.subscribeToTask({ id })));
    });
    expect(refused.name).toBe(name);
  });
});

describe("several streams of one task", () => {
  it("see the same updates in the same order", async () => {
    const [sent, ...others] = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      const watching = await Promise.all([1, 2].map(() => opened(client.subscribeToTask({ id }))));
      const message = userMessage("slow 5 a b c", { taskId: id });
      const streams = await Promise.all([
        all(client.sendStreamingMessage({ message })),
        ...watching.map((one) => one.rest()),
      ]);
      return streams.map((events) => outline(events).slice(1));
    });
    expect(sent).toEqual([
      "status working",
      'artifact ["a "]',
      'artifact ["b "]',
      'artifact ["c"]',
      "status completed, final",
    ]);
    expect(others).toEqual([sent, sent]);
  });

  it("can be left without harm to the others or the task", async () => {
    const lines = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      const stays = await opened(client.subscribeToTask({ id }));
      for await (const event of client.subscribeToTask({ id })) if (event.kind === "task") break;
      const signal = AbortSignal.timeout(30);
      await expect(all(client.subscribeToTask({ id }, { signal }))).rejects.toThrow("timeout");
      await send(client, "blue", { taskId: id });
      return outline(await stays.rest());
    });
    expect(lines.slice(1)).toEqual(["status working", 'artifact ["blue"]', "status completed, final"]);
  });
});

describe("a caller that goes away", () => {
  it("leaves the task at work", async () => {
    const task = await onEveryTransport(async ({ client }) => {
      const gone = new AbortController();
      const call = client.sendMessage({ message: userMessage("slow 60000 never") }, { signal: gone.signal });
      const read = (): Promise<Task> => client.getTask({ id: "id-1" });
      await vi.waitFor(read);
      gone.abort(new Error("gone"));
      await expect(call).rejects.toThrow("gone");
      return read();
    });
    expect(task.status.state).toBe(TaskState.Working);
  });
});
