import { describe, expect, it } from "vitest";
import { carrierOf, correlate, fieldsOf, pathsOf, type Pair } from "./correlating.js";

const text = { type: "string" };
const ref = (name: string): object => ({ $ref: `#/definitions/${name}` });
const object = (properties: object, ...required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
});
const letters = object({ kind: { const: "letter" }, body: text }, "kind", "body");
const notes = object({ kind: { const: "note" }, body: text }, "kind", "body");
const mood = { type: "string", enum: ["good", "very-bad"] };

describe("a field of the proto", () => {
  it("a field represents a nested property, from flat to nested and from nested to flat", () => {
    const pair: Pair = {
      properties: { file: ref("File") },
      required: ["file"],
      definitions: { File: object({ uri: text, size: { type: "integer" } }, "uri") },
      fields: "  string uri = 1;\n  int32 size = 2;",
      correlate: "  fields: { Question.uri: file.uri, Question.size: file.size }",
    };
    const protocol = correlate(pair);
    expect(pathsOf(protocol)).toEqual({ uri: "file.uri", size: "file.size" });
    const presences = Object.values(fieldsOf(protocol)).map(
      ({ mapping }) => mapping.kind === "path" && mapping.presence,
    );
    expect(presences).toEqual(["required", "optional"]);
  });

  it("a field represents a whole list or map if its message only wraps it", () => {
    const pair: Pair = {
      properties: {
        names: { type: "array", items: text },
        scopes: { type: "object", additionalProperties: { type: "array", items: text } },
      },
      fields: "  Names names = 1;\n  Scopes scopes = 2;",
      proto:
        "message Names { repeated string list = 1; }\nmessage Scopes { map<string, Names> all = 1; }",
    };
    const protocol = correlate(pair);
    expect(pathsOf(protocol, "Names")).toEqual({ list: "." });
    expect(pathsOf(protocol, "Scopes")).toEqual({ all: "." });
    expect(carrierOf(protocol, "Names").model.kind).toBe("list");
    expect(carrierOf(protocol, "Scopes").model.kind).toBe("map");
  });

  it("a field that the manifest excludes represents nothing and is reported as a loss", () => {
    const pair: Pair = {
      properties: { note: text },
      fields: "  int32 page = 1;",
      correlate: "  onlyJson: [Question.note]\n  onlyProtobuf: [Question.page]",
    };
    const protocol = correlate(pair);
    expect(pathsOf(protocol)).toEqual({ page: "unmapped" });
    expect(
      protocol.losses.map(({ type, field, bindings, kind }) => [
        type,
        field,
        bindings.join(),
        kind,
      ]),
    ).toEqual([
      ["Question", "page", "jsonrpc,rest,grpc", "field"],
      ["Question", "note", "rest,grpc", "field"],
    ]);
  });
});

describe("a member of a oneof", () => {
  const union = (fields: string, proto: string, hints?: string): Pair => ({
    definitions: {
      Question: { anyOf: [ref("Letter"), ref("StickyNote")] },
      Letter: letters,
      StickyNote: notes,
    },
    fields: `  oneof content {\n${fields}\n  }`,
    proto,
    ...(hints !== undefined && { correlate: hints }),
  });
  const whenOf = (pair: Pair) =>
    Object.values(fieldsOf(correlate(pair))).map(
      ({ mapping }) => mapping.kind === "path" && [mapping.when?.value, ...mapping.path],
    );

  it("a scalar member represents the only property of its alternative", () => {
    const pair: Pair = {
      definitions: {
        Question: { anyOf: [ref("TextPart"), ref("StickyNote")] },
        TextPart: object({ kind: { const: "text" }, text }, "kind", "text"),
        StickyNote: notes,
      },
      fields: "  oneof content {\n    string text = 1;\n    StickyNote note = 2;\n  }",
      proto: "message StickyNote { string body = 1; }",
    };
    expect(whenOf(pair)).toEqual([["text", "text"], ["note"]]);
  });

  it("a member represents the alternative that the manifest names", () => {
    const proto = "message A { string body = 1; }\nmessage B { string body = 1; }";
    const hints = "  members: { Question.x: StickyNote, Question.y: Letter }";
    expect(whenOf(union("    A x = 1;\n    B y = 2;", proto, hints))).toEqual([
      ["note"],
      ["letter"],
    ]);
  });

  it("a member represents one of several properties, and the others are lost", () => {
    const pair: Pair = {
      properties: { a: text, b: text },
      fields: "  oneof one {\n    string a = 1;\n    string b = 2;\n  }",
    };
    const { losses } = correlate(pair);
    const sentence = "gRPC and HTTP+JSON only carry one of a, b.";
    expect(losses.map(({ field, kind, text: said }) => [field, kind, said])).toEqual([
      ["a", "form", sentence],
      ["b", "form", sentence],
    ]);
  });
});

describe("the values of an enum", () => {
  const enums = (values: string, hints?: string): Pair => ({
    properties: { mood: ref("Mood") },
    definitions: { Mood: mood },
    fields: "  Mood mood = 1;",
    proto: `enum Mood { ${values} }`,
    ...(hints !== undefined && { correlate: hints }),
  });
  const textsOf = (pair: Pair) => correlate(pair).wire?.enums[0]?.values.map(({ json }) => json);

  it("enum values correspond as defined in the manifest if their spelling differs or only one side has them", () => {
    const hints =
      "  enums: { Mood: { good: MOOD_FINE, very-bad: MOOD_UNSPECIFIED } }\n  onlyProtobuf: [Mood.MOOD_ODD]";
    const pair = enums("MOOD_UNSPECIFIED = 0; MOOD_FINE = 1; MOOD_ODD = 2;", hints);
    expect(textsOf(pair)).toEqual(["very-bad", "good", undefined]);
    const loss = correlate(pair).losses.find(({ kind }) => kind === "default");
    expect(loss?.text).toBe("Over gRPC, `very-bad` arrives as if it were absent.");
  });
});

describe("constraints of protobuf that the schema does not have", () => {
  const formOf = (schema: object, fields: string): (string | undefined)[] => {
    const { losses } = correlate({ properties: { a: schema }, required: ["a"], fields });
    return losses.map(({ kind, text: said }) => `${kind}: ${said}`);
  };

  it.each([
    [{ type: "integer" }, "int32 a = 1;", "form: gRPC and HTTP+JSON only carry 32-bit integers."],
    [
      { type: "integer", minimum: 0 },
      "uint32 a = 1;",
      "form: gRPC and HTTP+JSON only carry 32-bit integers without a sign.",
    ],
    [
      { type: "number" },
      "float a = 1;",
      "form: gRPC and HTTP+JSON only carry 32-bit numbers, and round others.",
    ],
    [text, "int64 a = 1;", "form: gRPC and HTTP+JSON only carry 64-bit integers."],
    [text, "fixed64 a = 1;", "form: gRPC and HTTP+JSON only carry 64-bit integers without a sign."],
    [
      text,
      "bytes a = 1;",
      "form: gRPC and HTTP+JSON only carry base64, and convert it to the standard alphabet with padding.",
    ],
  ])("a constraint is reported for %j as %s", (schema, field, said) => {
    expect(formOf(schema, `  ${field}`)).toEqual([said]);
  });

  it.each([
    [{ type: "integer", minimum: 0, maximum: 9 }, "int32 a = 1;"],
    [{ type: "integer", minimum: 0, maximum: 2 ** 32 - 1 }, "uint32 a = 1;"],
    [{ type: "number" }, "double a = 1;"],
    [text, "string a = 1;"],
  ])("no constraint is reported for %j as %s, because every value is valid", (schema, field) => {
    expect(formOf(schema, `  ${field}`)).toEqual([]);
  });

  it.each([
    [
      "an optional object",
      [],
      [],
      "default: Over gRPC and HTTP+JSON, an empty object arrives as if it were absent.",
    ],
    [
      "an object that may be empty",
      ["file"],
      [],
      "form: gRPC and HTTP+JSON only carry it if it is not empty.",
    ],
    ["an object that is never empty", ["file"], ["uri"], undefined],
  ])(
    "a constraint is reported for %s whose members are fields of the message",
    (_, required, inner, said) => {
      const { losses } = correlate({
        properties: { file: ref("File") },
        required,
        definitions: { File: object({ uri: text }, ...inner) },
        fields: "  string uri = 1;",
        correlate: "  fields: { Question.uri: file.uri }",
      });
      const found = losses
        .filter(({ field }) => field === "file")
        .map(({ kind, text: words }) => `${kind}: ${words}`);
      expect(found).toEqual(said === undefined ? [] : [said]);
    },
  );
});
