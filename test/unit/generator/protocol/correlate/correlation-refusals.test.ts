import { describe, expect, it } from "vitest";
import { at, complaints, type Pair } from "./correlating.js";

const text = { type: "string" };
const ref = (name: string): object => ({ $ref: `#/definitions/${name}` });
const object = (properties: object, ...required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
});
const mood = { type: "string", enum: ["good", "very-bad"] };

describe("a schema and a proto that do not correspond", () => {
  const both: Pair = { properties: { a: text }, fields: "  string a = 1;" };
  const refusal = (
    pair: Pair,
    file: "p.proto" | "s.json" | "m.yaml",
    token: string,
    rest: string,
  ) => {
    expect(complaints(pair)).toEqual([`${at(pair, file, token)}: ${rest}`]);
  };

  it("generation fails if no field represents a property", () => {
    const pair: Pair = { ...both, properties: { a: text, subject: text } };
    const rest =
      "Question.subject has no counterpart in the proto. Map a field to it under correlate.fields, or list Question.subject under correlate.onlyJson.";
    refusal(pair, "s.json", '"subject"', rest);
  });

  it("generation fails if no field represents a property of an object that is represented in part", () => {
    const pair: Pair = {
      properties: { file: ref("File") },
      definitions: { File: object({ uri: text, extra: text }) },
      fields: "  string uri = 1;",
      correlate: "  fields: { Question.uri: file.uri }",
    };
    const rest =
      "Question.file.extra has no counterpart in the proto. Map a field to it under correlate.fields, or list Question.file.extra under correlate.onlyJson.";
    refusal(pair, "s.json", '"file"', rest);
  });

  it("generation fails if a field corresponds to no property", () => {
    const rest =
      "the field Question.extra has no counterpart in Question. Specify its property under correlate.fields, or list it under correlate.onlyProtobuf.";
    refusal(
      { ...both, fields: "  string a = 1;\n  Box extra = 2;", proto: "message Box {}" },
      "p.proto",
      "extra",
      rest,
    );
  });

  it("generation fails if no type corresponds to a message", () => {
    const rest =
      "p.Lonely has no corresponding type in the schema. Map it under correlate.fields or correlate.members, or list Lonely under correlate.onlyProtobuf.";
    refusal({ ...both, proto: "message Lonely { string x = 1; }" }, "p.proto", "Lonely", rest);
  });

  const moods = (values: string): Pair => ({
    properties: { mood: ref("Mood") },
    definitions: { Mood: mood },
    fields: "  Spirit mood = 1;",
    proto: `enum Spirit { SPIRIT_UNSPECIFIED = 0; ${values} }`,
  });

  it("generation fails if the proto does not define an enum value", () => {
    const rest =
      'the value "very-bad" of Mood has no counterpart in p.Spirit. Map it under correlate.enums.Mood, or list Mood.very-bad under correlate.onlyJson.';
    refusal(moods("SPIRIT_GOOD = 1;"), "s.json", '"Mood"', rest);
  });

  it("generation fails if the schema does not define an enum value", () => {
    const rest =
      'the value "SPIRIT_ODD" of p.Spirit has no counterpart in Mood. Map it under correlate.enums.Mood, or list Spirit.SPIRIT_ODD under correlate.onlyProtobuf.';
    refusal(
      moods("SPIRIT_GOOD = 1; SPIRIT_VERY_BAD = 2; SPIRIT_ODD = 3;"),
      "p.proto",
      "SPIRIT_ODD",
      rest,
    );
  });

  it("generation fails if an enum corresponds to two enums", () => {
    const pair: Pair = {
      properties: { a: ref("Mood"), b: ref("Weather") },
      definitions: { Mood: mood, Weather: mood },
      fields: "  Mood a = 1;\n  Mood b = 2;",
      proto: "enum Mood { MOOD_UNSPECIFIED = 0; MOOD_GOOD = 1; MOOD_VERY_BAD = 2; }",
    };
    const rest =
      "p.Mood corresponds to both Mood and Weather. Map the fields under correlate.fields.";
    refusal(pair, "p.proto", "Mood {", rest);
  });

  it.each([
    ["fields", "{ Question.z: a }", "Question.z", "a }"],
    ["resources", '{ Question.n: ["x/{a}"] }', "Question.n", '["x'],
    ["enums", "{ Mood: { good: X } }", "Mood", "{ good"],
    ["members", "{ Question.z: Letter }", "Question.z", "Letter"],
    ["onlyJson", "[Question.q]", "Question.q", "Question.q"],
    ["onlyProtobuf", "[Question.q]", "Question.q", "Question.q"],
    ["onlyJson", "[Question.a]", "Question.a", "Question.a"],
    ["trueIfAbsent", "[Question.q]", "Question.q", "Question.q"],
  ])("generation fails for an entry of %s that is %s", (table, entry, name, token) => {
    const rest = `"${name}" under correlate.${table} is neither in the proto nor in the schema, or does not require a hint. Remove it, or correct the name.`;
    refusal({ ...both, correlate: `  ${table}: ${entry}` }, "m.yaml", token, rest);
  });

  it("generation fails for a hint to an unknown property", () => {
    const pair: Pair = {
      properties: {},
      fields: "  string b = 1;",
      correlate: "  fields: { Question.b: nope }",
    };
    const rest =
      'Question.b is mapped to "nope", which Question does not have. Correct it under correlate.fields.';
    refusal(pair, "m.yaml", "nope", rest);
  });

  it.each([
    ["a string", text, "string a = 1;"],
    ["a bool with presence", { type: "boolean" }, "optional bool a = 1;"],
  ])("generation fails for the default of %s", (_, property, field) => {
    const pair: Pair = {
      properties: { a: property },
      fields: `  ${field}`,
      correlate: "  trueIfAbsent: [Question.a]",
    };
    const rest =
      "Question.a must be a bool without presence that marks an optional property. Remove it from correlate.trueIfAbsent.";
    refusal(pair, "m.yaml", "Question.a]", rest);
  });

  it("generation fails for a resource name of an unknown id", () => {
    const correlation = '  resources: { Question.name: ["x/{nope}"] }';
    const pair: Pair = { properties: {}, fields: "  string name = 1;", correlate: correlation };
    const rest =
      'the resource name of Question.name contains "nope", which Question does not have. Correct it under correlate.resources.';
    refusal(pair, "m.yaml", '["x', rest);
  });

  it("generation fails if one message corresponds to two types", () => {
    const pair: Pair = {
      properties: { a: ref("A"), b: ref("B") },
      definitions: { A: object({ x: text }), B: object({ x: text }) },
      fields: "  Box a = 1;\n  Box b = 2;",
      proto: "message Box { string x = 1; }",
    };
    const rest =
      "p.Box corresponds to both A and B. Map the fields under correlate.fields or correlate.members.";
    refusal(pair, "p.proto", "Box {", rest);
  });

  it("generation fails if two alternatives match a member of a oneof", () => {
    const pair: Pair = {
      definitions: {
        Question: { anyOf: [ref("One"), ref("Two")] },
        One: object({ kind: { const: "letter" } }, "kind"),
        Two: object({ kind: { const: "LETTER" } }, "kind"),
      },
      fields: "  oneof content { Sheet letter = 1; }",
      proto: "message Sheet {}",
    };
    const rest =
      "the field Question.letter could correspond to One or Two. Specify which under correlate.members.";
    refusal(pair, "p.proto", "letter", rest);
  });

  it.each([
    [{ type: "number" }, "string a = 1;", "of the type string", "of the kind number", "a = 1"],
    [text, "int32 a = 1;", "of the type int32", "of the kind string", "a = 1"],
    [{ type: "array", items: text }, "string a = 1;", "of the type string", "a list", "a = 1"],
    [text, "repeated string a = 1;", "a list", "of the kind string", "a = 1"],
    [
      { type: "object", additionalProperties: text },
      "map<int32, string> a = 1;",
      "a map with keys of the type int32",
      "a map",
      "a = 1",
    ],
  ])("generation fails for %j as %s", (schema, field, proto, model, token) => {
    const rest = `Question.a is ${proto}, and its counterpart in the schema is ${model}. Specify another property under correlate.fields.`;
    refusal({ properties: { a: schema }, fields: `  ${field}` }, "p.proto", token, rest);
  });

  it("generation fails for an enum that is a string in the schema", () => {
    const rest =
      'Question.mood is of the enum Mood, and its counterpart in the schema is of the kind string. Set a different name for the type of the schema under "names".';
    const proto = "enum Mood { MOOD_UNSPECIFIED = 0; }";
    refusal(
      { properties: { mood: text }, fields: "  Mood mood = 1;", proto },
      "p.proto",
      "mood",
      rest,
    );
  });

  it("generation fails for a method without an rpc", () => {
    const tell = object(
      { id: text, jsonrpc: { const: "2.0" }, method: { const: "tell" } },
      "id",
      "jsonrpc",
      "method",
    );
    const rest =
      'the method "tell" has no rpc in the proto. Add it under operations.<rpc>.jsonRpc of a manifest.';
    refusal({ ...both, definitions: { TellRequest: tell } }, "s.json", '"TellRequest"', rest);
  });
});
