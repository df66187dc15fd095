import fc from "../../support/properties.js";
import { describe, expect, it } from "vitest";
import { quickReply, work } from "../../../examples/echo-agent/echo.js";
import { realEnvironment } from "../../../examples/shared/environment.js";
import { page } from "../../../examples/echo-agent/paging.js";
import { isSettled, LiveTask } from "../../../examples/echo-agent/task.js";
import { isTask, TaskState } from "../../../generated/1.0/index.js";
import { userMessage } from "./agents.js";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^(ask|fail|slow 0|reject|auth)?\s[\sa-c]*$/),
);

async function workOn(text: string): Promise<LiveTask> {
  const task = new LiveTask("t", "c", { state: TaskState.Submitted });
  task.receive(userMessage(text), undefined);
  await work(task, realEnvironment);
  return task;
}

describe("the work of the echo agent", () => {
  it("ends or pauses, and leaves a valid task, whatever the text", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const task = await workOn(text);
        expect(isSettled(task.state) && isTask(task.snapshot)).toBe(true);
      }),
    );
  });

  it("cuts a text into four pieces at most, which are the text when they are put together", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const pieces = (await workOn(`x${text}`)).snapshot.artifacts?.[0]?.parts ?? [];
        expect(pieces.length).toBeLessThanOrEqual(4);
        expect(pieces.map((part) => part.text).join("")).toBe(`x${text}`);
      }),
    );
  });

  it("gives a message only to those that want one, and have no task", () => {
    expect(quickReply(userMessage("hi"), realEnvironment)).toBeUndefined();
    expect(quickReply(userMessage("message: hi", { taskId: "t" }), realEnvironment)).toBeUndefined();
    expect(quickReply(userMessage("Message:  hi"), realEnvironment)?.parts).toEqual([{ text: "hi" }]);
  });
});

describe("pages", () => {
  it("hold every item once and in order, and only the last has no successor", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 100 }), (keys, pageSize) => {
        const items = keys.sort().reverse();
        const seen: string[] = [];
        for (let pageToken = "", pages = 0; pages === 0 || pageToken !== ""; pages += 1) {
          const { items: some, nextPageToken } = page(items, (key) => key, { pageSize, pageToken });
          expect(some.length === pageSize || nextPageToken === "").toBe(true);
          seen.push(...some);
          pageToken = nextPageToken;
        }
        expect(seen).toEqual(items);
      }),
    );
  });
});
