import { describe, expect, it } from "vitest";
import * as older from "../../../../generated/0.3.0/client/calls.js";
import * as calls from "../../../../generated/1.0/client/calls.js";

const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Hi" }] };
const task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_WORKING" },
  history: [message],
};

describe("the guards of clients", () => {
  it("accept unknown members whose names have underscores", () => {
    const metadata = { trace_id: "1" };
    const status = { ...task.status, trace_id: "1", message: { ...message, metadata } };
    expect(calls.getTask.accepts?.({ ...task, status, metadata, _sdk: 1 })).toBe(true);
    expect(calls.sendMessage.accepts?.({ task: { ...task, metadata } })).toBe(true);
  });

  it.each<[string, object]>([
    ["a task", { ...task, contextId: undefined, context_id: "c" }],
    ["a task that also has the JSON name", { ...task, context_id: "c" }],
    ["a message of the history", { ...task, history: [message, { ...message, task_id: "t" }] }],
    [
      "a part of the status",
      {
        ...task,
        status: {
          ...task.status,
          message: { ...message, parts: [{ text: "", media_type: "a/b" }] },
        },
      },
    ],
    [
      "an artifact",
      { ...task, artifacts: [{ artifactId: "a", artifact_id: "a", parts: [{ text: "" }] }] },
    ],
  ])("refuse names of the proto in %s, which the lenient reader reads", (_, response) => {
    expect(calls.getTask.accepts?.(response)).toBe(false);
    expect(calls.sendMessage.accepts?.({ task: response })).toBe(false);
    expect(calls.subscribeToTask.accepts?.({ task: response })).toBe(false);
  });

  it("refuse names of the proto in a choice of messages without a discriminator", () => {
    const reply = (file: object) => ({
      kind: "message",
      messageId: "m",
      role: "agent",
      parts: [{ kind: "file", file }],
    });
    const file = { uri: "https://agent.example/a" };
    expect(older.sendMessage.accepts?.(reply({ ...file, mimeType: "a/b" }))).toBe(true);
    expect(older.sendMessage.accepts?.(reply({ ...file, mime_type: "a/b" }))).toBe(false);
  });
});
