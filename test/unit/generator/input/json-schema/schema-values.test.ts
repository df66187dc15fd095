import { describe, expect, it } from "vitest";
import { aliasOf, valueOf } from "./schema-reading.js";

const text = { kind: "string" };
const number = { kind: "number", integer: false };
const integer = { kind: "number", integer: true };
const any = { kind: "any" };
const anyMap = { kind: "map", key: "string", value: any };

const alike: readonly [schema: unknown, type: unknown][] = [
  [true, any],
  [false, { kind: "never" }],
  [{}, any],
  [
    { type: "string", minLength: 1, maxLength: 3, pattern: "^a" },
    { ...text, minLength: 1, maxLength: 3, pattern: "^a" },
  ],
  [{ const: null }, { kind: "literal", values: [null] }],
  [
    { type: "string", enum: ["a", "b"] },
    { kind: "literal", values: ["a", "b"] },
  ],
  [{ enum: ["a", 1, true, null] }, { kind: "literal", values: ["a", 1, true, null] }],
  [
    { type: "array", items: { type: "string" }, minItems: 1 },
    { kind: "list", element: text, minItems: 1 },
  ],
  [{ type: "object" }, anyMap],
  [
    { type: "object", properties: {}, additionalProperties: { type: "null" } },
    { ...anyMap, value: { kind: "null" } },
  ],
  [
    { type: ["string", "integer", "null"] },
    { kind: "anyOf", members: [text, integer, { kind: "null" }] },
  ],
  [{ anyOf: [{ const: "a" }, { const: "b" }] }, { kind: "literal", values: ["a", "b"] }],
  [{ oneOf: [{ type: "string" }, { type: "number" }] }, { kind: "oneOf", members: [text, number] }],
  [
    { if: { type: "string" }, then: { minLength: 1 } },
    expect.objectContaining({ kind: "if", test: text, otherwise: any }),
  ],
];

describe("a schema without a name", () => {
  it.each(alike.map(([schema, type]) => [JSON.stringify(schema), schema, type] as const))(
    "the type of a schema: %s",
    (_, schema, type) => {
      expect(valueOf(schema)).toEqual(type);
    },
  );
});

describe("the constants of a schema", () => {
  it("a constant that contradicts other keywords is excluded", () => {
    expect(
      valueOf({ enum: ["a", "abc", 7, true], type: ["string", "boolean"], maxLength: 2 }),
    ).toEqual({
      kind: "literal",
      values: ["a", true],
    });
  });
});

describe("a reference", () => {
  const others = { Name: { type: "string" }, Empty: { type: "object" } };

  it("a reference has the name of the definition", () => {
    expect(valueOf({ $ref: "#/definitions/Name" }, others)).toEqual({
      kind: "alias",
      name: "Name",
    });
    expect(valueOf({ $ref: "#/definitions/Empty" }, others)).toEqual({
      kind: "message",
      name: "Empty",
    });
  });

  it("a reference is kept next to annotations, and as the only part of a combination", () => {
    const alias = { kind: "alias", name: "Name" };
    expect(
      valueOf({ $ref: "#/definitions/Name", description: "The name", default: "x" }, others),
    ).toEqual(alias);
    expect(valueOf({ allOf: [{ $ref: "#/definitions/Name" }] }, others)).toEqual(alias);
  });

  it("a reference applies together with the keywords next to it", () => {
    expect(valueOf({ $ref: "#/definitions/Name", minLength: 1 }, others)).toEqual({
      kind: "allOf",
      members: [
        { ...text, minLength: 1 },
        { kind: "alias", name: "Name" },
      ],
    });
  });

  it("a reference may be a path with escapes and may lead to $defs", () => {
    expect(aliasOf({ $ref: "#/definitions/a%20b~1c" }, { "a b/c": { type: "null" } })).toEqual({
      kind: "alias",
      name: "ABC",
    });
  });

  it("references may form a circle through lists and objects", () => {
    const tree = { type: "array", items: { $ref: "#/definitions/Alias" } };
    expect(aliasOf(tree)).toEqual({ kind: "list", element: { kind: "alias", name: "Alias" } });
  });
});
