import fc from "../../support/properties.js";
import { describe, expect, it } from "vitest";
import { quickReply, work } from "../../../examples/echo-agent-0.3/echo.js";
import { isSettled, LiveTask } from "../../../examples/echo-agent-0.3/task.js";
import { realEnvironment } from "../../../examples/shared/environment.js";
import { isStreamResponse, isTask, TaskState, type StreamResponse } from "../../../generated/0.3.0/index.js";
import { userMessage } from "./agents.js";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^(ask|fail|slow 0|reject|auth)?\s[\sa-c]*$/),
);

async function workOn(text: string): Promise<{ task: LiveTask; updates: StreamResponse[] }> {
  const task = new LiveTask("t", "c", { state: TaskState.Submitted });
  const updates: StreamResponse[] = [];
  task.listen((update) => updates.push(update));
  task.receive(userMessage(text), undefined);
  await work(task, realEnvironment);
  return { task, updates };
}

describe("the work of the echo agent of 0.3.0", () => {
  it("ends or pauses, and leaves a valid task, whatever the text", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { task } = await workOn(text);
        expect(isSettled(task.state) && isTask(task.snapshot)).toBe(true);
      }),
    );
  });

  it("makes valid updates, of which the last one is final and no other", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { updates } = await workOn(text);
        expect(updates.every(isStreamResponse)).toBe(true);
        const final = updates.map((update) => update.kind === "status-update" && update.final);
        expect(final.indexOf(true)).toBe(updates.length - 1);
      }),
    );
  });

  it("gives back the whole text, in four pieces at most", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { task } = await workOn(`x${text}`);
        const pieces = task.snapshot.artifacts?.[0]?.parts ?? [];
        expect(pieces.length).toBeLessThanOrEqual(4);
        expect(pieces.map((part) => (part.kind === "text" ? part.text : "")).join("")).toBe(`x${text}`);
      }),
    );
  });

  it("gives a message only to those that want one, and have no task", () => {
    expect(quickReply(userMessage("hi"), realEnvironment)).toBeUndefined();
    expect(quickReply(userMessage("message: hi", { taskId: "t" }), realEnvironment)).toBeUndefined();
    expect(quickReply(userMessage("Message:  hi"), realEnvironment)?.parts).toEqual([{ kind: "text", text: "hi" }]);
  });
});
