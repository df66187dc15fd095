import { describe, expect, it } from "vitest";
import { fieldOf, messageOf, operationOf, problemsOf, read, readSource } from "./reading.js";
import { sourceOf } from "../../../../support/output.js";

const message = (name: string) => ({ kind: "message", name });

describe("the name of a type", () => {
  it("a type of an enclosing scope takes precedence over a type inside of a sibling", () => {
    const protocol = read("message A { message C { message B {} } B b = 1; } message B {}");
    expect(fieldOf(protocol, "A", "b").type).toEqual(message("B"));
  });

  it("a name refers to the innermost type, and with a leading dot to the outermost type", () => {
    const protocol = read("message A { message B { message A {} A inner = 1; .p.A outer = 2; } }");
    expect(fieldOf(protocol, "AB", "inner").type).toEqual(message("ABA"));
    expect(fieldOf(protocol, "AB", "outer").type).toEqual(message("A"));
  });

  it("a name may start with a part of the package", () => {
    const text =
      'syntax = "proto3"; package google.shop; message A { protobuf.Timestamp at = 1; shop.A next = 2; }';
    const protocol = readSource(sourceOf(text));
    expect(fieldOf(protocol, "A", "at").type).toEqual({
      kind: "wellKnown",
      wellKnown: "Timestamp",
    });
    expect(fieldOf(protocol, "A", "next").type).toEqual(message("A"));
  });

  it("a message of the proto takes precedence over a well-known type", () => {
    const protocol = read(
      "message google { message protobuf { message Any {} } } message A { google.protobuf.Any a = 1; }",
    );
    expect(fieldOf(protocol, "A", "a").type).toEqual(message("googleprotobufAny"));
  });
});

describe("a type of Google without a special form in JSON", () => {
  it("the type becomes a message of the output with all types that it refers to, and no other types", () => {
    const { types } = read(
      'import "google/protobuf/api.proto"; message A { google.protobuf.Mixin mixin = 1; google.protobuf.Option option = 2; }',
    );
    expect(types.map(({ fullName }) => fullName)).toEqual([
      "p.A",
      "google.protobuf.Mixin",
      "google.protobuf.Option",
    ]);
  });

  it("the type has the names and the presence of its proto", () => {
    const protocol = read("message A { google.protobuf.FieldDescriptorProto field = 1; }");
    expect(fieldOf(protocol, "FieldDescriptorProto", "type_name")).toMatchObject({
      name: "typeName",
      presence: "optional",
      proto: { number: 6, hasPresence: true },
    });
  });

  it("the type is read from the imported file if the generator does not bundle it", () => {
    const files = {
      "google/api/field_behavior.proto":
        'syntax = "proto3"; package google.api; import "google/protobuf/descriptor.proto";\n' +
        "extend google.protobuf.FieldOptions { repeated FieldBehavior field_behavior = 1052; }\n" +
        "enum FieldBehavior { FIELD_BEHAVIOR_UNSPECIFIED = 0; }",
    };
    const importing = 'import "google/api/field_behavior.proto";';
    const used = read(`${importing} message A { google.api.FieldBehavior behavior = 1; }`, files);
    expect(used.types.map(({ fullName }) => fullName)).toEqual(["p.A", "google.api.FieldBehavior"]);
    expect(read(`${importing} message A {}`, files).types).toHaveLength(1);
  });

  it("an undeclared type is an error", () => {
    const text = 'syntax = "proto3";\nmessage A { google.protobuf.Missing a = 1; }';
    expect(problemsOf(sourceOf(text))).toEqual([
      'test.proto:2:37: field "a" has the type "google.protobuf.Missing", which is not declared. Correct the name, or import the file that declares it.',
    ]);
  });
});

describe("a well-known type that an rpc names", () => {
  it("the type is an alias of its value in JSON", () => {
    const protocol = read(
      "service S { rpc Go(google.protobuf.Struct) returns (google.protobuf.StringValue); }",
    );
    expect(protocol.types).toMatchObject([
      { kind: "alias", name: "Struct", type: { kind: "wellKnown", wellKnown: "Struct" } },
      { kind: "alias", name: "StringValue", type: { kind: "wrapper", scalar: "string" } },
    ]);
    expect(operationOf(protocol, "Go").rpc).toMatchObject({
      request: "Struct",
      response: "StringValue",
    });
  });

  it("the type gets a name that no message of the proto has", () => {
    const protocol = read(
      "message Any {} service S { rpc Go(Any) returns (google.protobuf.Any); }",
    );
    expect(protocol.types.map(({ name }) => name)).toEqual(["Any", "google_protobuf_Any"]);
  });
});

describe("an imported file", () => {
  const imported = (text: string) =>
    read('import "other.proto"; message A { q.B b = 1; }', { "other.proto": text });

  it("an imported file may be proto2, with presence and without groups", () => {
    const protocol = imported(`syntax = "proto2"; package q;
      message B {
        required string must = 1;
        optional int32 may = 2 [default = 5];
        repeated int32 plain = 3;
        repeated int32 packed = 4 [packed = true];
        optional group G = 5 { optional string x = 1; }
        optional E e = 6;
        extensions 100 to 200;
      }
      enum E { ONE = 1; }
      extend B { optional string more = 100; }`);
    const { fields } = messageOf(protocol, "B");
    expect(fields.map(({ name, presence, proto }) => [name, presence, proto?.packed])).toEqual([
      ["must", "required", false],
      ["may", "optional", false],
      ["plain", "implicit", false],
      ["packed", "implicit", true],
      ["e", "optional", false],
    ]);
    const reason =
      "other.proto:2:15: groups are not supported; use a field with a message type instead";
    expect(protocol.omissions).toEqual([{ target: "models", subject: "q.B.g", reason }]);
  });

  it("an imported file may have an edition with features", () => {
    const protocol =
      imported(`edition = "2023"; package q; option features.field_presence = IMPLICIT;
      message B { string plain = 1; string may = 2 [features.field_presence = EXPLICIT]; }`);
    expect(messageOf(protocol, "B").fields.map(({ presence }) => presence)).toEqual([
      "implicit",
      "optional",
    ]);
  });

  it("an imported file with an unknown edition is refused", () => {
    const files = { "other.proto": 'edition = "2999"; package q; message B {}' };
    const text = 'syntax = "proto3";\nimport "other.proto";\nmessage A { q.B b = 1; }';
    expect(problemsOf(sourceOf(text, files))).toEqual([
      "other.proto:1:1: the file uses the unknown edition 2999. Only import files that use proto2, proto3 or the editions 2023 and 2024.",
    ]);
  });
});

describe("declarations that cannot be in the model", () => {
  it("an unsupported field is omitted with location and hint, and the rest of the message is kept", () => {
    const protocol = read(
      'message A { string a = 1 [json_name = "__proto__"]; string b = 2; oneof o { int32 c = 3 [json_name = "__proto__"]; } }',
    );
    const { fields, oneofs } = messageOf(protocol, "A");
    expect([fields.map(({ name }) => name), oneofs]).toEqual([["b"], []]);
    const why = "its JSON name __proto__ is unsafe as a key in JavaScript; set another json_name";
    expect(protocol.omissions).toEqual([
      { target: "models", subject: "p.A.a", reason: `test.proto:3:20: ${why}` },
      { target: "models", subject: "p.A.c", reason: `test.proto:3:83: ${why}` },
    ]);
  });

  it("a required member of a oneof is optional and reported, and a manifest can require the oneof", () => {
    const protocol = read(
      "message A { oneof o { string a = 1 [(google.api.field_behavior) = REQUIRED]; int32 b = 2; } }",
    );
    expect(fieldOf(protocol, "A", "a").presence).toBe("optional");
    const reason =
      "test.proto:3:30: members of a oneof exclude each other, so none of them can be required; to require one of them, list A.o under requiredOneofs of a manifest";
    expect(protocol.omissions).toEqual([{ target: "validators", subject: "p.A.a", reason }]);
  });
});

describe("oneofs whose names only differ in case and underscores", () => {
  it("the oneofs have different names in the model", () => {
    const protocol = read(
      "message A { oneof a_b { string c = 1; } oneof aB { string d = 2; } oneof a__b { string e = 3; } }",
    );
    const { fields, oneofs } = messageOf(protocol, "A");
    expect(oneofs.map(({ name, members }) => [name, ...members])).toEqual([
      ["aB", "c"],
      ["aB_", "d"],
      ["a__b", "e"],
    ]);
    expect(fields.map(({ oneof }) => oneof)).toEqual(["aB", "aB_", "a__b"]);
  });
});

describe("a required field whose absence differs from its default", () => {
  it("the field is written even if it has its default value", () => {
    const protocol = read(
      "message A { optional string a = 1 [(google.api.field_behavior) = REQUIRED]; }",
    );
    expect(protocol.wire?.messages[0]?.fields[0]).toMatchObject({
      presence: "optional",
      mapping: { presence: "required" },
    });
  });
});
