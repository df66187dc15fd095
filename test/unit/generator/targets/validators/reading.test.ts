import { beforeAll, describe, expect, it } from "vitest";
import { documentTypes } from "../../../../../generator/document/schema.js";
import { readProtocol } from "../../../../../generator/core/read.js";
import { check, type Mode } from "../../../../../library/runtime/schema/schema.js";
import { emitValidators, outcomeOf, schemaSource, type Validators } from "./emitted.js";

const string = { type: "string" };
const definitions = {
  Card: {
    type: "object",
    properties: {
      displayName: string,
      contextId: { type: ["string", "null"] },
      limit: { type: "integer", default: 5 },
      deep: { $ref: "#/definitions/Card" },
    },
    required: ["displayName"],
  },
  State: { type: "string", enum: ["input-required", "done"] },
  Bag: {
    type: "object",
    properties: { itemCount: { type: "integer" } },
    additionalProperties: string,
  },
  Sealed: { type: "object", properties: { a: string }, additionalProperties: false },
  Tagged: { type: "object", properties: { a: string }, patternProperties: { "^x-": string } },
  Query: { anyOf: [{ $ref: "#/definitions/ById" }, { $ref: "#/definitions/ByIdAndConfig" }] },
  ById: {
    type: "object",
    properties: { id: string, metadata: { type: "object" } },
    required: ["id"],
  },
  ByIdAndConfig: {
    type: "object",
    properties: { id: string, metadata: { type: "object" }, configId: string },
    required: ["id"],
  },
  Event: { anyOf: [{ $ref: "#/definitions/Started" }, { $ref: "#/definitions/Ended" }] },
  Started: {
    type: "object",
    properties: { eventKind: { const: "started" }, startTime: string },
    required: ["eventKind", "startTime"],
  },
  Ended: { type: "object", properties: { eventKind: { const: "ended" } }, required: ["eventKind"] },
  Merged: { allOf: [{ $ref: "#/definitions/Query" }, { $ref: "#/definitions/Counted" }] },
  Counted: { type: "object", properties: { hits: { type: "integer" } } },
  OneOfTwo: { oneOf: [{ $ref: "#/definitions/Sealed" }, { $ref: "#/definitions/Numbered" }] },
  Numbered: {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  },
  Text: {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1 },
      ratio: { type: "number" },
      flag: { type: "boolean" },
      fixed: { enum: [3, true, "4"] },
      id: { type: ["integer", "string"] },
      tags: { type: "array", items: { type: "integer" }, maxItems: 2 },
    },
  },
};

const source = schemaSource(definitions);

describe("parse", () => {
  let emitted: (type: string) => Validators;
  beforeAll(async () => {
    emitted = await emitValidators("reading", source);
  });
  const parse = (type: string, value: unknown) => outcomeOf(emitted(type).parse, value);

  it.each([
    [
      "accepts names in snake_case",
      "Card",
      { display_name: "a", context_id: "c" },
      { displayName: "a", contextId: "c" },
    ],
    ["reads null as absent", "Card", { displayName: "a", limit: null }, { displayName: "a" }],
    [
      "keeps null if it is a value",
      "Card",
      { displayName: "a", contextId: null },
      { displayName: "a", contextId: null },
    ],
    ["keeps defaults", "Card", { displayName: "", limit: 5 }, { displayName: "", limit: 5 }],
    [
      "drops unknown members",
      "Card",
      { displayName: "a", deep: { displayName: "b", y: 1 }, x: 1 },
      { displayName: "a", deep: { displayName: "b" } },
    ],
    [
      "keeps members that the schema allows",
      "Bag",
      { item_count: 1, other: "x" },
      { itemCount: 1, other: "x" },
    ],
    [
      "keeps members that a pattern allows",
      "Tagged",
      { a: "1", "x-b": "2", c: 3 },
      { a: "1", "x-b": "2" },
    ],
    ["drops additional members of a closed object", "Sealed", { a: "1", b: 2 }, { a: "1" }],
    [
      "keeps most of a value that several types match",
      "Query",
      { id: "1", config_id: "2", z: 0 },
      { id: "1", configId: "2" },
    ],
    [
      "uses the first of several types that keep the same content",
      "Query",
      { id: "1", z: 0 },
      { id: "1" },
    ],
    [
      "selects a type by a constant under either name",
      "Event",
      { event_kind: "started", start_time: "t", z: 1 },
      { eventKind: "started", startTime: "t" },
    ],
    [
      "merges what all of several types keep",
      "Merged",
      { id: "1", hits: 2, z: 0 },
      { id: "1", hits: 2 },
    ],
    ["uses the only type that matches", "OneOfTwo", { n: 1 }, { n: 1 }],
  ])("parse %s", (_, type, given, expected) => {
    expect(parse(type, given)).toEqual({ value: expected });
    expect(emitted(type).is(expected)).toBe(true);
  });

  it.each([
    [
      "does not turn strings into numbers",
      "Card",
      { displayName: "a", limit: "5" },
      '/limit expected integer, got "5"',
    ],
    [
      "does not turn numbers into strings",
      "Card",
      { displayName: 5 },
      "/displayName expected string, got 5",
    ],
    [
      "does not accept null for a required field",
      "Card",
      { displayName: null },
      "/displayName expected string, got nothing",
    ],
    [
      "does not accept a field twice",
      "Card",
      { displayName: "a", display_name: "a" },
      "/ expected only one of displayName and display_name, got an object",
    ],
    [
      "does not change the spelling of values",
      "State",
      "INPUT_REQUIRED",
      '/ expected State (input-required, done), got "INPUT_REQUIRED"',
    ],
    [
      "validates members that the schema allows",
      "Bag",
      { other: 1 },
      "/other expected string, got 1",
    ],
    [
      "keeps the key of a member unchanged",
      "Bag",
      { __proto__x: 1 },
      "/__proto__x expected string, got 1",
    ],
  ])("parse %s", (_, type, given, message) => {
    expect(parse(type, given)).toEqual({ issues: [message] });
  });

  it("parse keeps a member called __proto__ as a member", () => {
    const given: unknown = JSON.parse('{ "__proto__": "x" }');
    const outcome = parse("Bag", given);
    expect(JSON.stringify(outcome)).toBe('{"value":{"__proto__":"x"}}');
  });

  it("parse returns a copy and does not change its argument", () => {
    const given = { displayName: "a", deep: { display_name: "b" } };
    parse("Card", given);
    expect(given).toEqual({ displayName: "a", deep: { display_name: "b" } });
  });
});

describe("a check of path and query", () => {
  const types = documentTypes(readProtocol(source));
  const read = (value: unknown, mode: Mode) => {
    const type = types.get("Text");
    if (type === undefined) throw new Error("Unknown type Text");
    const { issues, value: result } = check(type, value, mode);
    return issues?.map(({ message }) => message) ?? result;
  };

  it.each([
    [{ count: "2" }, { count: 2 }],
    [{ ratio: "-1.5e1" }, { ratio: -15 }],
    [{ flag: "false" }, { flag: false }],
    [{ fixed: "3" }, { fixed: 3 }],
    [{ fixed: "true" }, { fixed: true }],
    [{ fixed: "4" }, { fixed: "4" }],
    [{ id: "12" }, { id: "12" }],
    [{ tags: ["1", "2"] }, { tags: [1, 2] }],
    [{ tags: "1" }, { tags: [1] }],
    [{ count: "0" }, ['/count expected integer that is at least 1, got "0"']],
    [{ count: "1.5" }, ['/count expected integer that is at least 1, got "1.5"']],
    [{ count: "" }, ['/count expected integer that is at least 1, got ""']],
    [{ flag: "yes" }, ['/flag expected boolean, got "yes"']],
    [
      { tags: ["1", "2", "3"] },
      ["/tags expected a list of integer of at most 2 elements, got a list"],
    ],
  ])("the check reads %j as %j", (given, expected) => {
    expect(read(given, "text")).toEqual(expected);
  });

  it("the check reads strings as JSON does", () => {
    expect(read({ count: "2" }, "json")).toEqual([
      '/count expected integer that is at least 1, got "2"',
    ]);
  });
});
