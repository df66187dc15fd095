import { describe, expect, it } from "vitest";
import { aliasOf, read, readText, typeOf, valueOf } from "./schema-reading.js";

const member = (kind: string, required = ["kind"]) => ({
  type: "object",
  properties: { kind: { const: kind } },
  required,
});
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });

describe("an enum of a schema", () => {
  it.each(["State.unknown", "TaskState.unknown"])("an enum value has the key that the hint %s gives", (hint) => {
    const hints = { names: { State: "TaskState" }, keys: { [hint]: "Unspecified" } };
    expect(typeOf(read({ State: { enum: ["unknown"] } }, hints), "TaskState")).toMatchObject({
      values: [{ name: "unknown", key: "Unspecified" }],
    });
  });

  it("an inline enum is declared if a hint names it", () => {
    const names = { "Owner.field": "Role" };
    expect(valueOf({ enum: ["user", "agent"] }, {}, { names })).toEqual({ kind: "enum", name: "Role" });
  });

  it("an enum with values other than strings is a literal type", () => {
    expect(aliasOf({ enum: ["a", null] })).toEqual({ kind: "literal", values: ["a", null] });
  });
});

describe("a union of a schema", () => {
  it.each([
    ["the constant is optional in a member", [member("text", []), member("file")]],
    ["members share the constant", [member("text"), member("text")]],
    ["a member is not a message", [member("text"), { type: "null" }]],
    ["a member is a union", [member("text"), { anyOf: [ref("Other"), ref("Another")] }]],
  ])("a union has no discriminating constant if %s", (_, [First, Second]) => {
    const others = { Other: member("other"), Another: member("another") };
    const parts = read({ Part: { anyOf: [ref("First"), ref("Second")] }, First, Second, ...others });
    expect(typeOf(parts, "Part")).not.toHaveProperty("discriminator");
  });

  it("an inline union is declared if a hint names it", () => {
    const names = { "Owner.field": "Content" };
    const schema = { anyOf: [ref("A"), { type: "string" }] };
    expect(valueOf(schema, { A: member("a") }, { names })).toEqual({ kind: "union", name: "Content" });
  });
});

describe("keywords that are read but not enforced", () => {
  it("a keyword that is not enforced is reported once for each location", () => {
    const properties = { at: { type: "string", format: "date-time" }, list: { items: { contentEncoding: "base64" } } };
    expect(read({ Thing: { type: "object", properties } }).notes).toEqual([
      { subject: "Thing.at", reason: 'the format "date-time" is not checked' },
      { subject: "Thing.list.items", reason: 'the keyword contentEncoding "base64" is not checked' },
    ]);
  });

  it("a condition without an effect is reported as not enforced", () => {
    expect(read({ A: { then: {} }, B: { if: {} } }).notes).toEqual([
      { subject: "A", reason: 'the keyword "then" has no effect without "if"' },
      { subject: "B", reason: 'the keyword "if" has no effect without "then" or "else"' },
    ]);
  });

  it("a schema at the root is reported as not enforced", () => {
    const text = JSON.stringify({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "T",
      $ref: "#/$defs/A",
      $defs: { A: true },
    });
    expect(readText(text).notes).toEqual([
      { subject: "the schema as a whole", reason: 'the keyword "$ref" outside the definitions is not used' },
    ]);
  });
});
