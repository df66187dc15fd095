import { describe, expect, it, vi } from "vitest";
import { TaskState, type Task } from "../../../generated/1.0/index.js";
import { all, opened } from "../../support/everywhere.js";
import { failure, onEveryTransport, outline, send, userMessage } from "./agents.js";

describe("subscribing to a task", () => {
  it("gives the task as it is, then what happens to it until it ends", async () => {
    const events = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      const stream = await opened(client.subscribeToTask({ id }));
      await send(client, "blue", { taskId: id });
      return stream.rest();
    });
    expect(outline(events)).toEqual([
      "task TASK_STATE_INPUT_REQUIRED",
      "status TASK_STATE_WORKING",
      'artifact [{"text":"blue"}]',
      "status TASK_STATE_COMPLETED",
    ]);
  });

  it("stays open while the task is paused again", async () => {
    const events = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask one?");
      const stream = await opened(client.subscribeToTask({ id }));
      await send(client, "ask two?", { taskId: id });
      await send(client, "done", { taskId: id });
      return stream.rest();
    });
    expect(outline(events).filter((line) => line.startsWith("status"))).toEqual([
      "status TASK_STATE_WORKING",
      "status TASK_STATE_INPUT_REQUIRED",
      "status TASK_STATE_WORKING",
      "status TASK_STATE_COMPLETED",
    ]);
  });

  it.each([
    ["an unknown task", "none", "TaskNotFoundError"],
    ["a task that has ended", "id-1", "UnsupportedOperationError"],
  ])("refuses %s", async (_what, id, name) => {
    const refused = await onEveryTransport(async ({ client }) => {
      await send(client, "hi");
      return failure(all(client.subscribeToTask({ id })));
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
      return streams.map((events) => events.slice(1));
    });
    expect(outline(sent ?? [])).toEqual([
      "status TASK_STATE_WORKING",
      'artifact [{"text":"a "}]',
      'artifact [{"text":"b "}]',
      'artifact [{"text":"c"}]',
      "status TASK_STATE_COMPLETED",
    ]);
    expect(others).toEqual([sent, sent]);
  });

  it("can be left without harm to the others or the task", async () => {
    const lines = await onEveryTransport(async ({ client }) => {
      const { id } = await send(client, "ask");
      const stays = await opened(client.subscribeToTask({ id }));
      for await (const event of client.subscribeToTask({ id })) if (event.task !== undefined) break;
      const signal = AbortSignal.timeout(30);
      await expect(all(client.subscribeToTask({ id }, { signal }))).rejects.toThrow("timeout");
      await send(client, "blue", { taskId: id });
      return outline(await stays.rest());
    });
    expect(lines.slice(1)).toEqual([
      "status TASK_STATE_WORKING",
      'artifact [{"text":"blue"}]',
      "status TASK_STATE_COMPLETED",
    ]);
  });
});

describe("a caller that goes away", () => {
  it("leaves the task at work", async () => {
    const task = await onEveryTransport(async ({ client }) => {
      const gone = new AbortController();
      const message = userMessage("slow 60000 never");
      const call = client.sendMessage({ message }, { signal: gone.signal });
      const read = (): Promise<Task> => client.getTask({ id: "id-1" });
      await vi.waitFor(read);
      gone.abort(new Error("gone"));
      await expect(call).rejects.toThrow("gone");
      return read();
    });
    expect(task.status.state).toBe(TaskState.Working);
  });
});
