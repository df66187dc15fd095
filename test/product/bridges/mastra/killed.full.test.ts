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

const asked = ["Write to Ada", "yes"];

describeKills(
  "an agent of Mastra that asks, with its runs in a database",
  join(import.meta.dirname, "killed-question.ts"),
  [
    { when: "in the model", at: "model 1", messages: asked },
    { when: "before the question is stored", at: "end 1", messages: asked },
    { when: "while the task waits", at: "waiting", messages: asked },
    { when: "right after the answer", at: "turn 2", messages: asked },
    { when: "in the approved tool", at: "mail 1", messages: asked },
    { when: "after the output of the tool", at: "model 2", messages: asked },
    // Mastra has deleted the run, so the agent asks again.
    { when: "after the last step", at: "end 2", messages: [...asked, "yes"] },
  ],
  ({ task, text, said, notes, count }, { at }) => {
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe('Writing. \n\nResult: {"mailed":"Ada"}.');
    // An approved tool runs again until its run has ended.
    const isAfterTool = ["mail 1", "model 2", "end 2"].includes(at);
    expect(count("mail"), notes.join()).toBe(isAfterTool ? 2 : 1);
    expect(said).toEqual(at === "end 2" ? [...asked, "yes"] : asked);
  },
);
