import { join } from "node:path";
import { expect } from "vitest";
import { describeKills } from "../kill/kills.js";

const messages = ["Go"];

describeKills(
  "an agent of Mastra whose process is killed",
  join(import.meta.dirname, "killed.ts"),
  [
    { when: "before the first step", at: "turn 1", messages },
    { when: "in the first call of the model", at: "model 1", messages },
    { when: "in a tool", at: "weather 1", messages },
    { when: "after the output of a tool", at: "model 2", messages },
    { when: "after the last step", at: "end 1", messages },
  ],
  ({ task, text, notes, count }, { at }) => {
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe('Looking. \n\nResult: {"sky":"blue"}.');
    // The run starts over.
    const isBeforeTool = at === "turn 1" || at === "model 1";
    expect(count("weather"), notes.join()).toBe(isBeforeTool ? 1 : 2);
  },
);
