import { join } from "node:path";
import { expect } from "vitest";
import { describeKills } from "../kill/kills.js";

const messages = ["Go", "yes"];

describeKills(
  "an agent of the OpenAI Agents SDK whose process is killed",
  join(import.meta.dirname, "killed.ts"),
  [
    { when: "before the first step", at: "turn 1", messages },
    { when: "in the first call of the model", at: "model 1", messages },
    { when: "in a tool", at: "weather 1", messages },
    { when: "after the output of a tool", at: "model 2", messages },
    { when: "before the question is stored", at: "end 1", messages },
    { when: "while the task waits", at: "waiting", messages },
    { when: "right after the answer", at: "turn 2", messages },
    { when: "in the approved tool", at: "mail 1", messages },
    { when: "after the output of the approved tool", at: "model 3", messages },
    { when: "after the last step", at: "end 2", messages },
  ],
  ({ task, text, notes, count }, { at }) => {
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe('Looking. \n\nMailing. \n\nResult: "mailed".');
    // A tool only runs again if the process dies in the tool.
    expect(count("weather"), notes.join()).toBe(at === "weather 1" ? 2 : 1);
    expect(count("mail"), notes.join()).toBe(at === "mail 1" ? 2 : 1);
    // The usage of the answers that were lost is not counted.
    const { usage } = task.metadata?.["openAiAgents"] as { usage: { requests: number } };
    expect(usage.requests).toBe(3);
  },
);
