import { describe, expect, it } from "vitest";
import type { Artifact, Message, Part, Task } from "../../../../../generated/1.1-draft/models.js";
import { applyEvent } from "../../../../../library/kit/log/fold.js";
import { dataOf, filesOf, textOf } from "../../../../../library/kit/turns/updates.js";

const message = (...parts: Part[]): Message => ({ messageId: "m", role: "ROLE_USER", parts });
const artifact = (...parts: Part[]): Artifact => ({ artifactId: "a", parts });

describe("textOf", () => {
  it("the text of a message has a line for each text part", () => {
    expect(textOf(message({ text: "one" }, { data: 1 }, { text: "" }, { text: "two" }))).toBe(
      "one\n\ntwo",
    );
    expect(textOf(message({ data: 1 }))).toBe("");
  });

  it("the text of an artifact joins adjacent texts and starts a new line after other parts", () => {
    expect(textOf(artifact({ text: "Hello\n" }, { text: " wor" }, { text: "ld" }))).toBe(
      "Hello\n world",
    );
    expect(
      textOf(artifact({ data: 0 }, { text: "a" }, { data: 1 }, { data: 2 }, { text: "b" })),
    ).toBe("a\nb");
  });

  it("the text of an artifact that was streamed by tokens is the text that the model wrote", () => {
    const tokens = ["Hello\n", " wor", "ld", "", "."];
    let task: Task = { id: "t", status: { state: "TASK_STATE_WORKING" } };
    for (const [index, text] of tokens.entries()) {
      const update = {
        taskId: "t",
        contextId: "c",
        artifact: artifact({ text }),
        append: index > 0,
      };
      task = applyEvent(task, { artifactUpdate: update });
    }
    expect(task.artifacts?.map(textOf)).toEqual([tokens.join("")]);
  });
});

describe("the content of a task", () => {
  const status = { state: "TASK_STATE_COMPLETED" as const };
  const file = { raw: "YQ==", filename: "a.txt" };
  const link = { url: "https://files.example/a" };
  const said = message({ text: "Done" }, { data: 0 }, link);
  const artifacts = [
    artifact({ text: "a" }, { text: "b" }, { data: 1 }, file),
    artifact(),
    artifact({ text: "c" }),
  ];

  it("the content of a task is in its artifacts, or otherwise in its status message", () => {
    const task: Task = { id: "t", status: { ...status, message: said }, artifacts };
    expect([textOf(task), dataOf(task), filesOf(task)]).toEqual(["ab\n\nc", [1], [file]]);
    const other: Task = { ...task, artifacts: [artifact({ metadata: {}, data: null })] };
    expect([textOf(other), dataOf(other), filesOf(other)]).toEqual(["Done", [null], [link]]);
    expect([textOf({ status }), dataOf({ status })]).toEqual(["", []]);
  });

  it("messages and artifacts have data and files", () => {
    expect([dataOf(said), filesOf(said)]).toEqual([[0], [link]]);
    expect(artifacts.map((each) => [dataOf(each), filesOf(each)])).toEqual([
      [[1], [file]],
      [[], []],
      [[], []],
    ]);
  });

  it("parts without their message or artifact have no text, because its line breaks depend on it", () => {
    // @ts-expect-error the text of parts depends on their holder
    expect(textOf({ parts: [{ text: "a" }] })).toBe("a");
  });
});
