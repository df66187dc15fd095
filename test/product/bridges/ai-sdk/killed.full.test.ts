import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { describeKills, type Kill } from "../kill/kills.js";

const messages = ["Write to Ada", "yes"];

const kills = [
  { when: "before the first step", at: "turn 1", messages },
  { when: "in a step", at: "word 2", messages },
  { when: "in the second step", at: "word 5", messages },
  { when: "before the question is stored", at: "end 1", messages },
  { when: "while the task waits", at: "waiting", messages },
  { when: "right after the answer", at: "turn 2", messages },
  { when: "in the last step, after the approved tool", at: "word 8", messages },
  { when: "after the last step", at: "end 2", messages },
] satisfies Kill[];

/** The moments for version 6, whose steps the bridge saves in a different way. */
const inSix = new Set(["word 5", "waiting", "word 8"]);

describe.each(["7", "6"])("AI SDK %s", (version) => {
  // The processes of the agent inherit the variable.
  beforeAll(() => {
    process.env["SDK"] = version;
  });
  describeKills(
    "an agent whose process is killed",
    join(import.meta.dirname, "killed.ts"),
    version === "7" ? kills : kills.filter(({ at }) => inSix.has(at)),
    ({ task, text, notes, count }, { at }) => {
      const all = notes.join();
      expect(task.status.state, all).toBe("TASK_STATE_COMPLETED");
      expect(text, all).toBe("Looking it up.\n\nWriting to Ada.\n\nThe mail is sent.");
      expect(task.metadata).toMatchObject({ aiSdk: { usage: { inputTokens: 30 } } });
      // Steps that have ended do not run again, and neither do their tools.
      expect([count("mailed"), count("searched")], all).toEqual([1, 1]);
      expect(count("model"), all).toBe(3);
      const words = { "word 2": 2, "word 5": 2, "word 8": 2 }[at] ?? 0;
      expect(count("word"), all).toBe(3 + 3 + 4 + words);
    },
  );
});
