import { describe, expect, it, vi } from "vitest";
import { TaskState, type Part } from "../../../generated/0.3.0/index.js";
import { all, refusal } from "../../support/everywhere.js";
import { begin, onEveryTransport, open, outline, send, text, userMessage } from "./agents.js";

describe("sending a message", () => {
  it("gives the finished task, with the text as an artifact and the message in its history", async () => {
    const task = await onEveryTransport(({ client }) => send(client, "hello there"));
    expect(task).toEqual({
      kind: "task",
      id: "id-1",
      contextId: "id-2",
      status: { state: "completed", timestamp: "2026-01-01T00:00:03.250Z" },
      artifacts: [{ artifactId: "id-3", name: "echo", parts: [text("hello "), text("there")] }],
      history: [userMessage("hello there", { taskId: "id-1", contextId: "id-2" })],
    });
  });

  it("gives a plain message where that is asked for", async () => {
    const answer = await onEveryTransport(({ client }) => client.sendMessage({ message: userMessage("message: hi") }));
    expect(answer).toEqual({
      kind: "message",
      messageId: "id-2",
      role: "agent",
      contextId: "id-1",
      parts: [text("hi")],
    });
  });

  it("echoes parts of every kind unchanged", async () => {
    const parts: Part[] = [
      text("grüße 👋"),
      { kind: "file", file: { bytes: "AAECAwQ=", mimeType: "application/octet-stream" } },
      { kind: "file", file: { uri: "https://example.com/a?b=c#d", mimeType: "image/png" } },
      { kind: "file", file: { uri: "https://example.com/" } },
      { kind: "data", data: { deep: [{ list: [0, -1.5, "x", false, null] }], empty: {} } },
    ];
    const answer = await onEveryTransport(({ client }) => client.sendMessage({ message: userMessage(parts) }));
    const echoed = answer.kind === "task" ? answer.artifacts?.[0]?.parts : [];
    expect(echoed).toEqual([text("grüße "), text("👋"), ...parts.slice(1)]);
  });

  it("keeps over JSON-RPC what the other transports do not carry", async () => {
    const part: Part = { ...text("hi"), metadata: { a: 1 } };
    const message = userMessage([part], { referenceTaskIds: ["t-0"] });
    const { client, agent } = await open("JSONRPC");
    const answer = await client.sendMessage({ message }).finally(() => agent.close());
    expect(answer).toMatchObject({ artifacts: [{ parts: [part] }], history: [message] });
  });

  it.each([
    ["fail no luck", TaskState.Failed, "no luck"],
    ["reject", TaskState.Rejected, "I would rather not."],
    ["ask Which one?", TaskState.InputRequired, "Which one?"],
    ["auth", TaskState.AuthRequired, "Please sign in."],
  ])("waits until the task is over or paused: %s", async (content, state, says) => {
    const task = await onEveryTransport(({ client }) => send(client, content));
    expect(task.status.state).toBe(state);
    expect(task.status.message?.parts).toEqual([text(says)]);
  });

  it("does not wait where the caller does not want to, and the transport can say so", async () => {
    const states = await onEveryTransport(async ({ client }, binding) => {
      const task = await send(client, "slow 20 one two", {}, { blocking: false });
      const done = await vi.waitFor(async () => {
        const now = await client.getTask({ id: task.id });
        expect(now.status.state).toBe(TaskState.Completed);
        return now;
      });
      expect(done.artifacts).toHaveLength(1);
      // Protobuf has no way to tell false from absent here.
      return binding === "GRPC" ? task.status.state.replace("completed", "working") : task.status.state;
    });
    expect(states).toBe("working");
  });

  it("keeps the metadata of the request", async () => {
    const answer = await onEveryTransport(({ client }) =>
      client.sendMessage({ message: userMessage("hi", { metadata: { n: 1 } }), metadata: { trace: "t-1" } }),
    );
    expect(answer).toMatchObject({ metadata: { trace: "t-1" }, history: [{ metadata: { n: 1 } }] });
  });
});

describe("streaming a message", () => {
  it("gives the task, then every update, and ends with the task", async () => {
    const events = await onEveryTransport(({ client }) =>
      all(client.sendStreamingMessage({ message: userMessage("one two three four five") })),
    );
    expect(outline(events)).toEqual([
      "task submitted",
      "status working",
      'artifact ["one two "]',
      'artifact ["three four "]',
      'artifact ["five"]',
      "status completed, final",
    ]);
    const flags = events.flatMap((event) => (event.kind === "artifact-update" ? [event] : []));
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
    expect(events).toEqual([
      { kind: "message", messageId: "id-1", role: "agent", contextId: "c", parts: [text("hi")] },
    ]);
  });

  it("ends where the task is paused", async () => {
    const events = await onEveryTransport(({ client }) =>
      all(client.sendStreamingMessage({ message: userMessage("ask") })),
    );
    expect(outline(events).at(-1)).toBe("status input-required, final");
  });

  it("leaves the task at work where the caller leaves", async () => {
    const state = await onEveryTransport(async ({ client }) => {
      const { id } = await begin(client, "slow 60000 never");
      return (await client.getTask({ id })).status.state;
    });
    expect(state).toBe("working");
  });

  it("refuses before the first event what it cannot do", async () => {
    const refused = await onEveryTransport(({ client }) =>
      refusal(all(client.sendStreamingMessage({ message: userMessage("hi", { taskId: "none" }) }))),
    );
    expect(refused).toEqual({ name: "TaskNotFoundError", message: "Task not found" });
  });
});
