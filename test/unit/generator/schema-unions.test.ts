import { describe, expect, it } from "vitest";
import { aliasOf, read, readText, typeOf, valueOf } from "./schema-reading.js";

const member = (kind: string, required = ["kind"]) => ({
  type: "object",
  properties: { kind: { const: kind } },
  required,
});
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });

describe("an enum", () => {
  it("has the pascal case of its texts as keys", () => {
    const parts = read({ State: { type: "string", enum: ["input-required", "HTTP+JSON", "done"] } });
    const plain = { docs: "", deprecated: false };
    expect(typeOf(parts, "State")).toEqual({
      kind: "enum",
      name: "State",
      fullName: "State",
      ...plain,
      values: [
        { name: "input-required", key: "InputRequired", ...plain },
        { name: "HTTP+JSON", key: "HttpJson", ...plain },
        { name: "done", key: "Done", ...plain },
      ],
    });
  });

  it.each(["State.unknown", "TaskState.unknown"])("takes the key that the hint %s gives", (hint) => {
    const hints = { names: { State: "TaskState" }, keys: { [hint]: "Unspecified" } };
    expect(typeOf(read({ State: { enum: ["unknown"] } }, hints), "TaskState")).toMatchObject({
      values: [{ name: "unknown", key: "Unspecified" }],
    });
  });

  it("may describe its constants one by one", () => {
    const members = [
      { const: "a", description: "First" },
      { const: "b", deprecated: true },
    ];
    expect(typeOf(read({ State: { oneOf: members } }), "State")).toMatchObject({
      kind: "enum",
      values: [
        { name: "a", key: "A", docs: "First", deprecated: false },
        { name: "b", key: "B", docs: "", deprecated: true },
      ],
    });
  });

  it("is declared for an inline schema that a hint names", () => {
    const names = { "Owner.field": "Role" };
    expect(valueOf({ enum: ["user", "agent"] }, {}, { names })).toEqual({ kind: "enum", name: "Role" });
  });

  it("is a literal where it has more than texts", () => {
    expect(aliasOf({ enum: ["a", null] })).toEqual({ kind: "literal", values: ["a", null] });
  });
});

describe("a union", () => {
  it("names its members, and the constant that tells them apart", () => {
    const parts = read({ Part: { anyOf: [ref("Text"), ref("File")] }, Text: member("text"), File: member("file") });
    expect(typeOf(parts, "Part")).toMatchObject({
      kind: "union",
      members: [
        { kind: "message", name: "Text" },
        { kind: "message", name: "File" },
      ],
      discriminator: "kind",
      exclusive: false,
    });
  });

  it.each([
    ["a member need not have it", [member("text", []), member("file")]],
    ["members share it", [member("text"), member("text")]],
    ["a member is no message", [member("text"), { type: "null" }]],
    ["a member is a union itself", [member("text"), { anyOf: [ref("Other"), ref("Another")] }]],
  ])("has no such constant where %s", (_, [First, Second]) => {
    const others = { Other: member("other"), Another: member("another") };
    const parts = read({ Part: { anyOf: [ref("First"), ref("Second")] }, First, Second, ...others });
    expect(typeOf(parts, "Part")).not.toHaveProperty("discriminator");
  });

  it("is an alias where it has one member", () => {
    expect(aliasOf({ anyOf: [ref("A")] }, { A: member("a") })).toEqual({ kind: "message", name: "A" });
  });

  it("is declared for an inline schema that a hint names", () => {
    const names = { "Owner.field": "Content" };
    const schema = { anyOf: [ref("A"), { type: "string" }] };
    expect(valueOf(schema, { A: member("a") }, { names })).toEqual({ kind: "union", name: "Content" });
  });
});

describe("what is read and not enforced", () => {
  it("is noted once for each place", () => {
    const properties = { at: { type: "string", format: "date-time" }, list: { items: { contentEncoding: "base64" } } };
    expect(read({ Thing: { type: "object", properties } }).notes).toEqual([
      { subject: "Thing.at", reason: 'the format "date-time" is not checked' },
      { subject: "Thing.list.items", reason: 'the keyword contentEncoding "base64" is not checked' },
    ]);
  });

  it("includes a condition that decides nothing", () => {
    expect(read({ A: { then: {} }, B: { if: {} } }).notes).toEqual([
      { subject: "A", reason: 'the keyword "then" has no effect without "if"' },
      { subject: "B", reason: 'the keyword "if" has no effect without "then" or "else"' },
    ]);
  });

  it("includes a schema at the root", () => {
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
