import { join } from "node:path";
import { expect } from "vitest";
import { describeKills } from "../kill/kills.js";

const messages = ["Fly to Oslo", "yes please"];

describeKills(
  "a graph whose process is killed",
  join(import.meta.dirname, "killed.ts"),
  [
    { when: "before the first step", at: "turn 1", messages },
    { when: "in a step", at: "word 3", messages },
    { when: "between two steps", at: "confirm 1", messages },
    { when: "before the question is stored", at: "end 1", messages },
    { when: "while the task waits", at: "waiting", messages },
    { when: "right after the answer", at: "turn 2", messages },
    { when: "when the answer is passed on", at: "confirmed 1", messages },
    { when: "in the last step", at: "word 7", messages },
    { when: "after the last step", at: "end 2", messages },
  ],
  ({ task, text, said, notes, count }, { at }) => {
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe('Read 1: Fly to Oslo\n\nRead 3: answer "yes please"');
    // Steps that have ended do not run again.
    expect([count("planned"), count("booked")], notes.join()).toEqual([1, 1]);
    const words = at === "word 3" ? 3 : at === "word 7" ? 2 : 0;
    expect(count("word"), notes.join()).toBe(5 + 5 + words);
    expect(said).toEqual(messages);
  },
);
