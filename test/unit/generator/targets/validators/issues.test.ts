import { beforeAll, describe, expect, it } from "vitest";
import { documentTypes } from "../../../../../generator/document/schema.js";
import { readProtocol } from "../../../../../generator/core/read.js";
import { check } from "../../../../../library/runtime/schema/schema.js";
import { findSource } from "../../../../support/output.js";
import { emitValidators, outcomeOf, schemaSource, type Validators } from "./emitted.js";
import { keywordDefinitions } from "./keywords.js";

const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["ShortText", "a", ['/ expected string of 2 to 4 characters, got "a"']],
  ["Code", "A/1", ['/ expected string that matches ^[a-z]+\\/\\d{1,3}$, got "A/1"']],
  [
    "Money",
    0.3,
    ["/ expected number that is at least 0 and less than 1000 and a multiple of 0.25, got 0.3"],
  ],
  ["Count", 1.5, ["/ expected integer that is at most 9 and more than -1, got 1.5"]],
  ["Id", true, ["/ expected string, integer or null, got true"]],
  ["Mixed", "b", ['/ expected "a", 1, true, null or -0.5, got "b"']],
  ["Constant", 8, ["/ expected 7, got 8"]],
  [
    "Texts",
    ["a", "a"],
    ["/ expected a list of string of 1 to 3 elements without duplicates, got a list"],
  ],
  [
    "Texts",
    [],
    ["/ expected a list of string of 1 to 3 elements without duplicates, got an empty list"],
  ],
  ["Grid", [[1], ["x"]], ['/1/0 expected integer or null, got "x"']],
  ["Scores", { a: 1, b: -1 }, ["/b expected integer that is at least 0, got -1"]],
  ["Closed", { kind: "closed", extra: 1 }, ["/extra expected nothing, got 1"]],
  ["Open", { kind: "open", extra: "" }, ['/extra expected string of at least 1 character, got ""']],
  ["Either", { kind: "other" }, ['/kind expected "closed" or "open", got "other"']],
  ["Either", { kind: "open", size: "1" }, ['/size expected integer, got "1"']],
  ["Either", [], ["/ expected Either, got an empty list"]],
  ["Exactly", { left: "a", right: "b" }, ["/ expected exactly one of Left, Right, got an object"]],
  ["Exactly", { right: 5 }, ["/right expected string, got 5"]],
  ["Both", { left: 1 }, ["/left expected string, got 1", "/right expected string, got nothing"]],
  [
    "HeaderFields",
    {},
    ["/ expected an object with at least 1 and at most 3 members, got an object"],
  ],
  [
    "HeaderFields",
    { "x-too-long": "" },
    ['/x-too-long expected string of at least 1 character, got ""'],
  ],
  [
    "HeaderFields",
    { toolong: true },
    ['/ expected names of members that are string of at most 6 characters, got "toolong"'],
  ],
  ["NotText", "a", ['/ expected anything but string, got "a"']],
  ["Node", { value: 1, absent: 1 }, ["/absent expected nothing, got 1"]],
];

describe("validators of a schema", () => {
  let emitted: (type: string) => Validators;
  beforeAll(async () => {
    emitted = await emitValidators("issues", schemaSource(keywordDefinitions));
  });
  const types = documentTypes(readProtocol(schemaSource(keywordDefinitions)));

  it.each(cases)("a validator lists the issues of a %s: %j", (name, value, messages) => {
    const { is, validate, assert } = emitted(name);
    expect(is(value)).toBe(false);
    expect(validate(value).issues?.map(({ message }) => message)).toEqual(messages);
    expect(outcomeOf(assert, value)).toEqual({ issues: messages });
  });

  it.each(cases)(
    "a validator lists the same issues as a check of a document as %s: %j",
    (name, value, messages) => {
      const type = types.get(name);
      if (type === undefined) throw new Error(`Unknown type ${name}`);
      expect(check(type, value, "strict").issues?.map(({ message }) => message)).toEqual(messages);
    },
  );

  it("a validator refuses values that are nested too deeply", () => {
    let tree: unknown = "leaf";
    for (let level = 0; level < 101; level += 1) tree = [tree];
    const { is, validate } = emitted("Tree");
    expect(is(tree)).toBe(false);
    expect(validate(tree).issues).toHaveLength(1);
  });
});

describe("validators of 0.3.0", () => {
  let emitted: (type: string) => Validators;
  beforeAll(async () => {
    emitted = await emitValidators("issues-0.3.0", findSource("0.3.0"));
  });
  it.each([
    ["Part", { kind: "image" }, ['/kind expected "text", "file" or "data", got "image"']],
    [
      "Part",
      { kind: "file", file: { name: "a" } },
      ["/file expected FileWithBytes or FileWithUri, got an object"],
    ],
    [
      "TaskStatus",
      { state: "TASK_STATE_WORKING" },
      [expect.stringMatching(/^\/state expected TaskState \(submitted, /)],
    ],
    [
      "SendMessageResponse",
      { id: 1, jsonrpc: "2.0", result: { kind: "x" } },
      ['/result/kind expected "task" or "message", got "x"'],
    ],
    [
      "SendMessageResponse",
      { id: 1, jsonrpc: "2.0", error: { code: "x", message: "" } },
      [expect.stringMatching(/^\/error\/code expected integer/)],
    ],
    [
      "A2AErrorObject",
      { code: 5, message: "" },
      [expect.stringMatching(/^\/code expected -32700, .* or -3200\d, got 5$/)],
    ],
    [
      "A2ARequest",
      { method: "none" },
      [expect.stringMatching(/^\/method expected "message\/send", .* got "none"$/)],
    ],
  ])("a validator of 0.3.0 lists the issues of a %s: %j", (name, value, messages) => {
    const { is, validate, parse } = emitted(name);
    expect(is(value)).toBe(false);
    expect(validate(value).issues?.map(({ message }) => message)).toEqual(messages);
    expect(outcomeOf(parse, value)).toEqual({ issues: messages });
  });
});

describe("validators of 1.0", () => {
  let emitted: (type: string) => Validators;
  beforeAll(async () => {
    emitted = await emitValidators("issues-1.0", findSource("1.0"));
  });
  const messagesOf = (type: string, value: unknown): readonly string[] | undefined =>
    emitted(type)
      .validate(value)
      .issues?.map(({ message }) => message);
  const task = { id: "1", status: { state: "TASK_STATE_WORKING" } };

  it("a validator lists the issues in the order of the value, and missing members last", () => {
    const message = {
      parts: [{ text: "hi", url: "https://example.org/" }, {}, 5],
      role: "user",
      taskId: 7,
    };
    expect(
      messagesOf("SendMessageRequest", { message, configuration: { historyLength: "10" } }),
    ).toEqual([
      "/message/parts/0 expected exactly one of text, raw, url, data, got an object",
      "/message/parts/1 expected exactly one of text, raw, url, data, got an object",
      "/message/parts/2 expected Part, got 5",
      '/message/role expected Role (ROLE_UNSPECIFIED, ROLE_USER, ROLE_AGENT), got "user"',
      "/message/taskId expected string, got 7",
      "/message/messageId expected string, got nothing",
      '/configuration/historyLength expected 32-bit integer, got "10"',
    ]);
  });

  it.each([
    [
      { a: undefined, b: [1, NaN, new Array(1), { c: () => 1 }] },
      ["/a", "/b/1", "/b/2/0", "/b/3/c"],
    ],
    [{ "a/b": { "c~d": 1n } }, ["/a~1b/c~0d"]],
    [[undefined], [""]],
    [
      Object.create(
        { inherited: undefined },
        { own: { value: Symbol("s"), enumerable: true } },
      ) as unknown,
      ["/own"],
    ],
  ])("a validator names the path if %o is not JSON", (metadata, places) => {
    const { issues } = emitted("Task").validate({ ...task, metadata });
    expect(issues?.map(({ pointer }) => pointer)).toEqual(
      places.map((place) => `/metadata${place}`),
    );
  });

  it("a validator names the path if JSON is nested too deeply", () => {
    let metadata: unknown = "leaf";
    for (let level = 0; level < 100; level += 1) metadata = { x: metadata };
    const place = `/metadata${"/x".repeat(99)}`;
    expect(messagesOf("Task", { ...task, metadata })).toEqual([
      `${place} expected at most 100 levels of nesting, got an object`,
    ]);
  });

  it("a validator lists at most a hundred issues", () => {
    const parts = Array.from({ length: 1000 }, () => ({}));
    expect(messagesOf("Message", { messageId: "1", role: "ROLE_USER", parts })).toHaveLength(100);
    const metadata = { list: Array.from({ length: 1000 }, () => NaN) };
    expect(messagesOf("Task", { ...task, metadata })).toHaveLength(100);
  });
});
