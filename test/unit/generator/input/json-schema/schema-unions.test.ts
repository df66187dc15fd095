import { describe, expect, it } from "vitest";
import { aliasOf, read, typeOf, valueOf } from "./schema-reading.js";
import { fits } from "./schema-fits.js";

const member = (kind: string, required = ["kind"]) => ({
  type: "object",
  properties: { kind: { const: kind } },
  required,
});
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });

describe("an enum of a schema", () => {
  it.each(["State.unknown", "TaskState.unknown"])(
    "an enum value has the key that the hint %s gives",
    (hint) => {
      const hints = { names: { State: "TaskState" }, keys: { [hint]: "Unspecified" } };
      expect(typeOf(read({ State: { enum: ["unknown"] } }, hints), "TaskState")).toMatchObject({
        values: [{ name: "unknown", key: "Unspecified" }],
      });
    },
  );

  it("an inline enum is declared if a hint names it", () => {
    const names = { "Owner.field": "Role" };
    expect(valueOf({ enum: ["user", "agent"] }, {}, { names })).toEqual({
      kind: "enum",
      name: "Role",
    });
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
    const parts = read({
      Part: { anyOf: [ref("First"), ref("Second")] },
      First,
      Second,
      ...others,
    });
    expect(typeOf(parts, "Part")).not.toHaveProperty("discriminator");
  });

  it("an inline union is declared if a hint names it", () => {
    const names = { "Owner.field": "Content" };
    const schema = { anyOf: [ref("A"), { type: "string" }] };
    expect(valueOf(schema, { A: member("a") }, { names })).toEqual({
      kind: "union",
      name: "Content",
    });
  });
});

describe("keywords that are read but not enforced", () => {
  it("a keyword that is not enforced is reported once for each location", () => {
    const properties = {
      at: { type: "string", format: "date-time" },
      list: { items: { contentEncoding: "base64" } },
    };
    expect(read({ Thing: { type: "object", properties } }).notes).toEqual([
      { subject: "Thing.at", reason: 'the format "date-time" is not checked' },
      {
        subject: "Thing.list.items",
        reason: 'the keyword contentEncoding "base64" is not checked',
      },
    ]);
  });

  it("a pattern that may take exponential time is reported with its line", () => {
    const properties = {
      code: { type: "string", pattern: "^(a+)+$" },
      plain: { type: "string", pattern: "^a+$" },
    };
    expect(read({ Thing: { type: "object", properties } }).notes).toEqual([
      {
        subject: "Thing.code",
        reason:
          'the pattern "^(a+)+$" in line 1 may take exponential time, so that callers can block the agent: ' +
          "rewrite it without nested repetitions",
      },
    ]);
  });

  it("a condition without an effect is reported as not enforced", () => {
    expect(read({ A: { then: {} }, B: { if: {} } }).notes).toEqual([
      { subject: "A", reason: 'the keyword "then" has no effect without "if"' },
      { subject: "B", reason: 'the keyword "if" has no effect without "then" or "else"' },
    ]);
  });

  it("an unknown keyword is an annotation, and a note reports a keyword that may be misspelled", () => {
    const A = {
      type: "object",
      requird: ["x"],
      "x-order": 1,
      markdownDescription: "*A*",
      ucp_request: {},
    };
    const reason = 'the keyword "requird" in line 1 is unknown. Did you mean required?';
    expect(read({ A }).notes).toEqual([{ subject: "A", reason }]);
  });

  it("`contains` is enforced, and a number of contained elements is reported as not checked", () => {
    const parts = read({
      A: { type: "array", contains: { const: 1 } },
      B: { type: "array", contains: { const: 1 }, minContains: 0 },
      C: { type: "array", contains: { const: 1 }, minContains: 2, maxContains: 3 },
      D: { type: "object", unevaluatedProperties: false },
    });
    const validate = (name: string, value: unknown) => fits(parts, name, value);
    expect([[2, 1], [2], []].map((value) => validate("A", value))).toEqual([true, false, false]);
    expect(validate("B", [])).toBe(true);
    expect(parts.notes.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      "C: the keyword minContains is not checked",
      "C: the keyword maxContains is not checked",
      "D: the keyword unevaluatedProperties is not checked",
    ]);
  });
});
