import { describe, expect, it } from "vitest";
import { sourceOf } from "../../../../support/output.js";
import { enumOf, fieldOf, messageOf, problemsOf, read } from "./reading.js";

const message = (name: string) => ({ kind: "message", name });

describe("a proto that protoc accepts", () => {
  it("a proto may have white space and comments around the dots of names", () => {
    const protocol = read(
      "message A { . p\n. A one = 1; map < string , p . A > two = 2; repeated .p. /* x */ A three = 3; }",
    );
    const types = ["one", "two", "three"].map((name) => fieldOf(protocol, "A", name).type);
    expect(types).toEqual([
      message("A"),
      { kind: "map", key: "string", value: message("A") },
      { kind: "list", element: message("A") },
    ]);
  });

  it("a proto may use keywords of later editions as names of messages, fields and values", () => {
    const protocol = read(
      "message local { export local = 1; } message export {} enum E { NONE = 0; local_ = 1; }",
    );
    expect(protocol.types.map(({ name }) => name)).toEqual(["local", "export_", "E"]);
    expect(fieldOf(protocol, "local", "local").type).toEqual(message("export_"));
  });

  it("a proto may have a field with the name that protobufjs gives to a oneof", () => {
    const { fields, oneofs } = messageOf(
      read("message A { optional string a = 1; oneof _a { string b = 2; } }"),
      "A",
    );
    expect(fields.map(({ name, presence, oneof }) => [name, presence, oneof])).toEqual([
      ["a", "optional", undefined],
      ["b", "optional", "A"],
    ]);
    expect(oneofs).toHaveLength(1);
  });

  it("a proto may have names that start with the placeholders of the parser", () => {
    const { fields } = messageOf(
      read("message A { string stand_in_for_a = 1; string __proto__ = 2; }"),
      "A",
    );
    expect(fields.map(({ proto }) => proto?.name)).toEqual(["stand_in_for_a", "__proto__"]);
  });

  it("a proto may have numbers in all bases", () => {
    const proto =
      "message A { string a = 0X1F; string b = 0x2f; string c = 017; } enum E { Z = 0X0; N = -0X10; }";
    const protocol = read(proto);
    expect(messageOf(protocol, "A").fields.map((field) => field.proto?.number)).toEqual([
      31, 47, 15,
    ]);
    expect(enumOf(protocol, "E").values.map(({ number }) => number)).toEqual([0, -16]);
  });

  it("a proto may have values with the names of statements", () => {
    const names = ["syntax", "package", "import", "rpc", "edition", "message"];
    const values = names.map((name, at) => `${name} = ${at};`).join(" ");
    expect(enumOf(read(`enum E { ${values} }`), "E").values.map(({ name }) => name)).toEqual(names);
  });

  it("a proto may split the path of an import", () => {
    const protocol = read('import "other" ".proto"; message A { q.B b = 1; }', {
      "other.proto": 'syntax = "proto3"; package q; message B {}',
    });
    expect(fieldOf(protocol, "A", "b").type).toEqual(message("B"));
  });

  it("a proto may extend options by a relative name and set them in angle brackets", () => {
    const text = `syntax = "proto3"; package google.shop; import "google/protobuf/descriptor.proto";
      extend protobuf.FieldOptions { Note note = 50000; }
      message Note { string text = 1; Note next = 2; }
      message A { map<string, Note> notes = 1 [(note) = { next < text: "x" > }, deprecated = true]; }`;
    expect(problemsOf(sourceOf(text))).toEqual([]);
  });

  it("the lines of a proto are kept, so that mistakes have their locations", () => {
    const text = 'syntax = "proto3";\nmessage A {\n  .\n  A a = 1;\n  Missing b = 2;\n}';
    expect(problemsOf(sourceOf(text))).toEqual([
      'test.proto:5:11: field "b" has the type "Missing", which is not declared. Correct the name, or import the file that declares it.',
    ]);
  });
});
