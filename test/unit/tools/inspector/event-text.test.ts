import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { formOf } from "../../../../tools/inspector/page/event-form.js";
import { omittedText, sentenceOf } from "../../../../tools/inspector/page/event-text.js";

function textOf(event: unknown): string {
  const { label, text } = sentenceOf(typeof event === "string" ? event : JSON.stringify(event));
  return label + text;
}

const rpc = (result: object) => ({ jsonrpc: "2.0", id: 1, result });
const ids = { taskId: "task-1", contextId: "c" };
const said = (text: string) => ({
  messageId: "m",
  role: "ROLE_AGENT",
  parts: [{ text }],
});
const saidBefore = (text: string) => ({
  kind: "message",
  messageId: "m",
  role: "agent",
  parts: [{ kind: "text", text }],
});

describe("sentenceOf", () => {
  it.each([
    [
      "a status of 1.0",
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING", message: said("Go") } } },
      "status WORKING: Go",
    ],
    [
      "a status of 0.3",
      { kind: "status-update", ...ids, final: false, status: { state: "input-required" } },
      "status INPUT REQUIRED",
    ],
    [
      "a status of 0.1",
      { id: "task-1", final: true, status: { state: "canceled" } },
      "status CANCELED",
    ],
    [
      "a status of 0.3 in protobuf",
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_CANCELLED" } } },
      "status CANCELED",
    ],
    [
      "a new artifact of 1.0",
      { artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ text: "# Té" }] } } },
      "artifact a 5 B: # Té",
    ],
    [
      "the last chunk of an artifact of 0.3",
      {
        kind: "artifact-update",
        ...ids,
        append: true,
        lastChunk: true,
        artifact: {
          artifactId: "a",
          name: "report.md",
          parts: [{ kind: "text", text: "Tea and cake" }],
        },
      },
      "artifact report.md +12 B, last chunk: Tea and cake",
    ],
    [
      "an artifact of 0.1",
      { id: "task-1", artifact: { index: 2, parts: [{ type: "text", text: "Tea" }] } },
      "artifact 2 3 B: Tea",
    ],
    [
      "a task of 1.0",
      {
        task: {
          id: "0123456789abcdef",
          status: { state: "TASK_STATE_SUBMITTED" },
          history: [said("x")],
          artifacts: [{ artifactId: "a", parts: [] }],
        },
      },
      "task 0123456789abc… submitted, 1 artifact, 1 message",
    ],
    [
      "a task of 0.3",
      { kind: "task", id: "task-1", status: { state: "submitted" } },
      "task task-1 submitted",
    ],
    ["a message of 1.0", { message: said("Hello") }, "message from the agent: Hello"],
    ["a message of 0.3", saidBefore("Hello"), "message from the agent: Hello"],
    [
      "files of 1.0",
      {
        artifactUpdate: {
          ...ids,
          artifact: {
            artifactId: "a",
            parts: [
              { raw: "AAEC", filename: "dot.png", mediaType: "image/png" },
              { url: "http://a.example/b" },
            ],
          },
        },
      },
      "artifact a 3 B: file dot.png file http://a.example/b",
    ],
    [
      "a file of 0.3",
      {
        kind: "artifact-update",
        ...ids,
        artifact: {
          artifactId: "a",
          parts: [{ kind: "file", file: { name: "dot.png", bytes: "AAE=" } }],
        },
      },
      "artifact a 2 B: file dot.png",
    ],
    [
      "data",
      { artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ data: { b: 1 } }] } } },
      'artifact a 7 B: {"b":1}',
    ],
    [
      "an error of HTTP",
      { error: { code: 404, status: "NOT_FOUND", message: "Task not found" } },
      "error 404 NOT_FOUND: Task not found",
    ],
  ] as const)("sentenceOf describes %s, alone and in an envelope", (_name, event, sentence) => {
    expect(textOf(event)).toBe(sentence);
    if (!("error" in event)) expect(textOf(rpc(event))).toBe(sentence);
  });

  it("sentenceOf names the artifact of a chunk that has no name", () => {
    const artifact = { artifactId: "a", parts: [{ text: "Tea" }] };
    const data = JSON.stringify({ artifactUpdate: { ...ids, artifact, append: true } });
    const names = new Map([["a", "report.md"]]);
    expect(sentenceOf(data, names)).toMatchObject({
      label: "artifact report.md",
      text: " +3 B: Tea",
    });
  });

  it("sentenceOf describes an error of JSON-RPC", () => {
    const error = { code: -32_001, message: "Task not found" };
    expect(textOf({ jsonrpc: "2.0", id: 1, error })).toBe("error -32001: Task not found");
  });

  it("sentenceOf keeps events of unknown forms, without the envelope", () => {
    expect(textOf('{"jsonrpc":"2.0","id":7,"result":{"more":1}}')).toBe('{"more":1}}');
    for (const text of ["[DONE]", "", "null", "[1]", '"text"', '{"task":7}', '{"status":{}}'])
      expect(textOf(text)).toBe(text);
  });

  it("sentenceOf replaces characters that control the display, and shortens text", () => {
    const text = `\u202Egnp\u001b[31m${"x".repeat(1_000_000)}`;
    const sentence = textOf({
      statusUpdate: { ...ids, status: { state: text, message: said(text) } },
    });
    expect(sentence).toContain("\\u202egnp\\u001b[31mxxx");
    expect(sentence.length).toBeLessThan(250);
  });

  it("sentenceOf accepts members of every type", () => {
    const values = [null, 1, "x", [], [null], {}, { parts: [1], state: 2, status: {} }];
    for (const value of values)
      for (const name of ["task", "message", "statusUpdate", "artifactUpdate", "error"]) {
        expect(() => textOf({ [name]: value })).not.toThrow();
        for (const inner of ["status", "artifact", "parts", "artifacts", "history", "message"])
          expect(() => textOf({ [name]: { id: "t", [inner]: value } })).not.toThrow();
      }
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect(() => textOf(`{"message":{"parts":[{"data":${deep}}]}}`)).not.toThrow();
  });
});

describe("omittedText", () => {
  it("omittedText tells which events are left out, and why", () => {
    expect(omittedText({ earlier: 0, tooLong: 0 })).toBe("");
    expect(omittedText({ earlier: 1_000, tooLong: 1 })).toBe(
      "1,000 earlier events left out: the page keeps at most 10,000 events and 4.0 MB of each " +
        "call. 1 event left out: longer than 4.0 MB",
    );
  });
});

describe("formOf", () => {
  it("formOf keeps the beginning of a long text, and not the memory of the rest", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const long = JSON.stringify({ message: said("long ".repeat(200_000)) });
    formOf(long);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const forms = Array.from({ length: 40 }, () => formOf(long));
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(forms[39]).toMatchObject({ message: { text: "long ".repeat(400) } });
  });
});
