import { describe, expect, it, vi } from "vitest";
import { TaskState, type Part } from "../../../generated/1.0/index.js";
import { all } from "../../support/everywhere.js";
import { begin, failure, onEveryTransport, outline, send, userMessage } from "./agents.js";

describe("sending a message", () => {
  it("gives the finished task, with the text as an artifact and the message in its history", async () => {
    const task = await onEveryTransport(({ client }) => send(client, "hello there"));
    expect(task).toEqual({
      id: "id-1",
      contextId: "id-2",
      status: { state: TaskState.Completed, timestamp: "2026-01-01T00:00:03.250Z" },
      artifacts: [{ artifactId: "id-3", name: "echo", parts: [{ text: "hello " }, { text: "there" }] }],
      history: [{ ...userMessage("hello there"), taskId: "id-1", contextId: "id-2" }],
    });
  });

  it("gives a plain message where that is asked for", async () => {
    const response = await onEveryTransport(({ client }) =>
      client.sendMessage({ message: userMessage("message: hi") }),
    );
    expect(response).toEqual({
      message: { messageId: "id-1", role: "ROLE_AGENT", contextId: "id-2", parts: [{ text: "hi" }] },
    });
  });

  it("echoes parts of every kind unchanged", async () => {
    const parts: Part[] = [
      { text: "grüße 👋", mediaType: "text/markdown", metadata: { a: [1, null, { b: true }] } },
      { raw: "AAECAwQ=", filename: "bytes.bin", mediaType: "application/octet-stream" },
      { url: "https://example.com/a?b=c#d", mediaType: "image/png" },
      { data: { deep: [{ list: [0, -1.5, "x", false, null] }] } },
      { data: null },
      { data: "just text" },
    ];
    const { task } = await onEveryTransport(({ client }) => client.sendMessage({ message: userMessage(parts) }));
    const echoed = task?.artifacts?.[0]?.parts;
    const [text, ...others] = parts;
    expect(echoed?.slice(-5)).toEqual(others);
    expect(echoed?.slice(0, -5).map((part) => ({ ...part, text: "grüße 👋" }))).toEqual([text, text]);
  });

  it.each([
    ["fail no luck", TaskState.Failed, "no luck"],
    ["reject", TaskState.Rejected, "I would rather not."],
    ["ask Which one?", TaskState.InputRequired, "Which one?"],
    ["auth", TaskState.AuthRequired, "Please sign in."],
  ])("waits until the task is over or paused: %s", async (text, state, says) => {
    const task = await onEveryTransport(({ client }) => send(client, text));
    expect(task.status.state).toBe(state);
    expect(task.status.message?.parts).toEqual([{ text: says }]);
  });

  it("does not wait where the caller does not want to", async () => {
    const [first, last] = await onEveryTransport(async ({ client }) => {
      const task = await begin(client, "slow 20 one two");
      const done = await vi.waitFor(async () => {
        const now = await client.getTask({ id: task.id });
        expect(now.status.state).toBe(TaskState.Completed);
        return now;
      });
      return [task, done] as const;
    });
    expect(first.status.state).toBe(TaskState.Working);
    expect(last.artifacts).toHaveLength(1);
  });

  it("keeps the metadata of the request", async () => {
    const { task } = await onEveryTransport(({ client }) =>
      client.sendMessage({ message: userMessage("hi", { metadata: { n: 1 } }), metadata: { trace: "t-1" } }),
    );
    expect(task?.metadata).toEqual({ trace: "t-1" });
    expect(task?.history?.[0]?.metadata).toEqual({ n: 1 });
  });
});

describe("streaming a message", () => {
  it("gives the task, then every update, and ends with the task", async () => {
    const events = await onEveryTransport(({ client }) =>
      all(client.sendStreamingMessage({ message: userMessage("one two three four five") })),
    );
    expect(outline(events)).toEqual([
      "task TASK_STATE_SUBMITTED",
      "status TASK_STATE_WORKING",
      'artifact [{"text":"one two "}]',
      'artifact [{"text":"three four "}]',
      'artifact [{"text":"five"}]',
      "status TASK_STATE_COMPLETED",
    ]);
    const flags = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(flags.map(({ append, lastChunk }) => ({ append, lastChunk }))).toEqual([
      {},
      { append: true },
      { append: true, lastChunk: true },
    ]);
  });

  it("gives one message and nothing else where that is asked for", async () => {
    const events = await onEveryTransport(({ client }) =>
      all(client.sendStreamingMessage({ message: userMessage("message: hi", { contextId: "c" }) })),
    );
    expect(outline(events)).toEqual(["message"]);
  });

  it("ends where the task is paused", async () => {
    const events = await onEveryTransport(({ client }) =>
      all(client.sendStreamingMessage({ message: userMessage("ask") })),
    );
    expect(outline(events).at(-1)).toBe("status TASK_STATE_INPUT_REQUIRED");
  });

  it("refuses before the first event what it cannot do", async () => {
    const refused = await onEveryTransport(({ client }) =>
      failure(all(client.sendStreamingMessage({ message: userMessage("hi", { taskId: "none" }) }))),
    );
    expect(refused).toMatchObject({ name: "TaskNotFoundError", metadata: { taskId: "none" } });
  });
});
