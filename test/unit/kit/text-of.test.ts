import { describe, expect, it } from "vitest";
import type { Artifact, Message, Part, Task } from "../../../generated/1.1-draft/models.js";
import { applyEvent } from "../../../templates/kit/log/fold.js";
import { textOf } from "../../../templates/kit/turns/updates.js";

const message = (...parts: Part[]): Message => ({ messageId: "m", role: "ROLE_USER", parts });
const artifact = (...parts: Part[]): Artifact => ({ artifactId: "a", parts });

describe("textOf", () => {
  it("the text of a message has a line for each text part", () => {
    expect(textOf(message({ text: "one" }, { data: 1 }, { text: "" }, { text: "two" }))).toBe("one\n\ntwo");
    expect(textOf(message({ data: 1 }))).toBe("");
  });

  it("the text of an artifact joins adjacent texts and starts a new line after other parts", () => {
    expect(textOf(artifact({ text: "Hello\n" }, { text: " wor" }, { text: "ld" }))).toBe("Hello\n world");
    expect(textOf(artifact({ data: 0 }, { text: "a" }, { data: 1 }, { data: 2 }, { text: "b" }))).toBe("a\nb");
  });

  it("the text of an artifact that was streamed by tokens is the text that the model wrote", () => {
    const tokens = ["Hello\n", " wor", "ld", "", "."];
    let task: Task = { id: "t", status: { state: "TASK_STATE_WORKING" } };
    for (const [index, text] of tokens.entries()) {
      const update = { taskId: "t", contextId: "c", artifact: artifact({ text }), append: index > 0 };
      task = applyEvent(task, { artifactUpdate: update });
    }
    expect(task.artifacts?.map(textOf)).toEqual([tokens.join("")]);
  });
});
