import { describe, expect, it } from "vitest";
import { scalars } from "../../../../../generator/input/proto/known.js";
import { fieldOf, head, messageOf, read, readSource } from "./reading.js";
import { typeProblems } from "../../../../product/types/compile.js";
import { generateFrom, libraryOptions, sourceOf, textOf } from "../../../../support/output.js";

const typeOf = (declaration: string) =>
  fieldOf(read(`message A { ${declaration} }`), "A", "f").type;

describe("the type of a field", () => {
  it.each([...scalars])("the type of a field may be the scalar %s", (scalar) => {
    expect(typeOf(`${scalar} f = 1;`)).toEqual({ kind: "scalar", scalar });
  });

  it.each([
    "Timestamp",
    "Duration",
    "Struct",
    "Value",
    "ListValue",
    "NullValue",
    "Empty",
    "FieldMask",
    "Any",
  ])("the type of a field may be the well-known type %s", (wellKnown) => {
    expect(typeOf(`google.protobuf.${wellKnown} f = 1;`)).toEqual({ kind: "wellKnown", wellKnown });
  });

  it("the type of a field may be a nested type, whose name contains the outer names", () => {
    const protocol = read(
      "message A { message B { enum C { C_X = 0; } C c = 1; } B b = 1; B.C c = 2; }",
    );
    expect(fieldOf(protocol, "AB", "c").type).toEqual({ kind: "enum", name: "ABC" });
    expect(fieldOf(protocol, "A", "b").type).toEqual({ kind: "message", name: "AB" });
    expect(fieldOf(protocol, "A", "c").type).toEqual({ kind: "enum", name: "ABC" });
  });

  it("the type of a field is looked up from the innermost scope outwards, as in protobuf", () => {
    const protocol = read("message B {} message A { message B {} B near = 1; .p.B far = 2; }");
    expect(fieldOf(protocol, "A", "near").type).toEqual({ kind: "message", name: "AB" });
    expect(fieldOf(protocol, "A", "far").type).toEqual({ kind: "message", name: "B" });
  });

  it("the type of a field may have the name of the field", () => {
    expect(fieldOf(read("message A { B B = 1; } message B {}"), "A", "B").type).toEqual({
      kind: "message",
      name: "B",
    });
  });
});

describe("the presence of a field", () => {
  const presenceOf = (declaration: string) =>
    fieldOf(read(`message A { ${declaration} }`), "A", "f").presence;

  it.each([
    ["string f = 1;", "implicit"],
    ["repeated string f = 1;", "implicit"],
    ["map<string, string> f = 1;", "implicit"],
    ["google.protobuf.NullValue f = 1;", "implicit"],
    ["optional string f = 1;", "optional"],
    ["optional A f = 1;", "optional"],
    ["A f = 1;", "optional"],
    ["google.protobuf.Timestamp f = 1;", "optional"],
    ["google.protobuf.StringValue f = 1;", "optional"],
    ["oneof o { string f = 1; }", "optional"],
    ["string f = 1 [(google.api.field_behavior) = REQUIRED];", "required"],
    ["string f = 1 [(google.api.field_behavior) = OPTIONAL];", "implicit"],
    [
      "string f = 1 [(google.api.field_behavior) = OUTPUT_ONLY, (google.api.field_behavior) = REQUIRED];",
      "required",
    ],
    ["string f = 1 [(google.api.field_behavior) = REQUIRED, deprecated = true];", "required"],
    ["string f = 1 [deprecated = true, (google.api.field_behavior) = REQUIRED];", "required"],
    ["string f = 1 [(.google.api.field_behavior) = REQUIRED];", "required"],
  ])("the presence of `%s` is %s", (declaration, presence) => {
    expect(presenceOf(declaration)).toBe(presence);
  });

  it("a required list requires an element unless a manifest allows an empty list", () => {
    const proto = "message A { repeated string f = 1 [(google.api.field_behavior) = REQUIRED]; }";
    expect(fieldOf(read(proto), "A", "f").nonEmpty).toBe(true);
  });

  it("an `optional` field creates no oneof", () => {
    expect(messageOf(read("message A { optional string f = 1; }"), "A").oneofs).toEqual([]);
  });
});

describe("the names and numbers of a field", () => {
  it.each([
    ["foo_bar", "fooBar"],
    ["fooBar", "fooBar"],
    ["FooBar", "FooBar"],
    ["foo__bar", "fooBar"],
    ["foo_", "foo"],
    ["_foo", "Foo"],
    ["foo_1_bar2", "foo1Bar2"],
    ["FOO_BAR", "FOOBAR"],
    ["message", "message"],
    ["constructor", "constructor"],
    ["to_string", "toString"],
  ])("the field %s is called %s in JSON", (protoName, name) => {
    expect(fieldOf(read(`message A { string ${protoName} = 1; }`), "A", protoName).name).toBe(name);
  });

  it("any json_name is kept", () => {
    const field = fieldOf(
      read('message A { string f = 1 [json_name = "a-b \\"c\\" ${d} `e` \\u00e9"]; }'),
      "A",
      "f",
    );
    expect(field.name).toBe('a-b "c" ${d} `e` é');
  });

  it.each([
    ["7", 7],
    ["0x10", 16],
    ["010", 8],
    ["536870911", 536_870_911],
  ])("the number of a field is read from %s", (text, number) => {
    expect(fieldOf(read(`message A { string f = ${text}; }`), "A", "f").proto?.number).toBe(number);
  });
});

describe("a oneof", () => {
  const protocol = read(
    "message A { string id = 1; oneof the_kind { int32 a_number = 2; B b = 3; } } message B {}",
  );

  it("a oneof has its name and its members as JSON names", () => {
    expect(messageOf(protocol, "A").oneofs).toMatchObject([
      { name: "theKind", members: ["aNumber", "b"], required: false },
    ]);
  });

  it("a field has the name of the oneof that contains it", () => {
    expect(messageOf(protocol, "A").fields.map(({ oneof }) => oneof)).toEqual([
      undefined,
      "theKind",
      "theKind",
    ]);
  });

  it("a oneof that is too large for a union has its members as properties of the message, and compiles", async () => {
    const members = Array.from({ length: 150 }, (_, at) => `string field_${at} = ${at + 1};`);
    const output = await generateFrom(
      sourceOf(`${head}message M { oneof kind { ${members.join(" ")} } }`),
      libraryOptions,
    );
    const first = "  /** At most one member of `kind` is present. */\n  field0?: string;";
    expect(textOf(output, "models.ts")).toContain(first);
    expect(await typeProblems(output)).toEqual([]);
  });
});

describe("deprecated declarations", () => {
  it("a deprecated message or field is marked as deprecated in the model", () => {
    const protocol = read(
      "message A { option deprecated = true; string f = 1 [deprecated = true]; string g = 2; }",
    );
    expect(messageOf(protocol, "A").deprecated).toBe(true);
    expect(messageOf(protocol, "A").fields.map(({ deprecated }) => deprecated)).toEqual([
      true,
      false,
    ]);
  });
});

describe("the text of a proto", () => {
  it.each([
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
    ["line ends of Windows", (text: string) => text.replaceAll("\n", "\r\n")],
    ["empty statements", (text: string) => text.replaceAll("}", "};;")],
    ["the minimum of white space", (text: string) => text.replaceAll(/\n\s*/g, "")],
    ["single quotes", (text: string) => text.replaceAll('"', "'")],
  ])("a proto may have %s", (_, change) => {
    const text = 'syntax = "proto3";\npackage p;\nmessage A {\n  string f = 1;\n}\n';
    expect(messageOf(readSource(sourceOf(change(text))), "A").fullName).toBe("p.A");
  });

  it("a proto may omit the package", () => {
    const protocol = readSource(
      sourceOf('syntax = "proto3"; message A { A a = 1; message constructor_ {} }'),
    );
    expect(protocol.types.map(({ fullName }) => fullName)).toEqual(["A", "A.constructor_"]);
  });
});
