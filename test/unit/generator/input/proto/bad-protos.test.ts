import { describe, expect, it } from "vitest";
import { sourceOf } from "../../../../support/output.js";
import { head, problemsOf, type Cases } from "./reading.js";

// Cases start after the head, which is lines 1 and 2.

const unlike = 'Only proto3 is supported: start the file with `syntax = "proto3";` and adapt it.';
const member = "Wrap the field in a message, and use the message as the member.";
const reserved = "Use another one: reserved names and numbers belonged to removed elements.";
const twice = "Rename or remove one of them.";
const allowed = "Use a number from 1 to 536870911, except 19000 to 19999.";

const whole: Cases = {
  "": "1:1: the file is empty. Specify a proto with messages and services.",
  " \n\n": "1:1: the file is empty. Specify a proto with messages and services.",
  "\u0000\u0001PNG": "1:1: the file is not UTF-8 text. Specify a proto in UTF-8.",
  [`${head}// caf\uFFFD\n`]: "3:7: the file is not UTF-8 text. Specify a proto in UTF-8.",
  '{"a": 1}': "1:1: the file is not a proto: it starts with {. Specify a proto.",
  "<!doctype html>": "1:1: the file is not a proto: it starts with <. Specify a proto.",
  'syntax = "proto2";': `1:1: the file uses the syntax "proto2". ${unlike}`,
  '// x\nedition = "2023";': `2:1: the file uses edition 2023. ${unlike}`,
  "message A {}": `1:1: the file does not declare its syntax, which makes it proto2. ${unlike}`,
  'package p;\nsyntax = "proto3";':
    "2:1: the syntax must be the first statement. Move it to the start of the file, and remove any other.",
  [head]:
    "1:1: the file does not declare a message, enum or rpc. Specify a proto with declarations.",
  'syntax = "proto3"\npackage p;': '1:18: ";" is missing before "package". Add it.',
};

const syntax: Cases = {
  "message A {\n  string a = 1\n  string b = 2;\n}":
    '4:15: ";" is missing before "string". Add it.',
  "message A { string a = 1 }": '3:25: ";" is missing before "}". Add it.',
  "message A { message B { string a = 1; }": '3:11: the "{" here is not closed. Close it with "}".',
  "message A {}\n}": '4:1: "}" is not allowed here. Correct the syntax there.',
  "message A {} /* never": "3:14: the comment that starts here is not closed. Close it with */.",
  'import "abc; message A {}': '3:8: the string that starts here is not closed. Close it with ".',
  "message A { string a; }": '3:21: "=" is missing before ";". Add it.',
  "message A { string a = b; }": '3:24: "b" is not a valid number. Correct the syntax there.',
  "message A { string a = 1.5; }": '3:24: "1.5" is not a valid number. Correct the syntax there.',
  "message A-B {}": '3:9: "A-B" is not a valid name of a type. Correct the syntax there.',
  "message Ä {}": '3:9: "Ä" is not a valid name of a type. Correct the syntax there.',
  "package q;": '3:1: "package" is not allowed here. Correct the syntax there.',
  "option (foo = 1;": '3:12: ")" is missing before "=". Add it.',
};

const proto2: Cases = {
  "message A { required string a = 1; }":
    "3:13: proto3 has no required fields. Add `[(google.api.field_behavior) = REQUIRED]` after the field instead.",
  "message A { optional group G = 1 { string a = 2; } }":
    "3:22: proto3 has no groups. Use a nested message and a field of its type.",
  "message A { extensions 100 to 200; }":
    "3:13: proto3 has no extension ranges. Remove the statement.",
  "message A {} extend A { string b = 100; }":
    '3:21: "A" is extended, but proto3 only allows extensions of options. Declare the fields in the message itself.',
  'message A { string a = 1 [deprecated = true, default = "x"]; }':
    "3:46: proto3 has no default values. Remove it, or move it into a comment.",
};

const combinations: Cases = {
  "message A { oneof o { repeated string a = 1; } }": `3:23: a member of a oneof is repeated. ${member}`,
  "message A { oneof o { optional string a = 1; } }": `3:23: a member of a oneof is optional. ${member}`,
  "message A { oneof o { map<string, string> a = 1; } }": `3:23: a member of a oneof is a map. ${member}`,
  "message A { oneof o { oneof p { string a = 1; } } }":
    "3:23: a oneof is inside another oneof. Move it into a separate message.",
  "message A { oneof o {} }": '3:19: oneof "o" has no fields. Add one, or remove the oneof.',
  "message A { repeated optional string a = 1; }":
    "3:22: a field is both repeated and optional. Remove one of them.",
  "message A { map<string, map<string, string>> a = 1; }":
    "3:25: a map has maps as values. Wrap the inner map in a message.",
  "message A { repeated map<string, string> a = 1; }":
    "3:13: a map is repeated. Remove the label, or wrap the map in a message.",
  "message A { map<float, string> a = 1; }":
    '3:17: a map has keys of the type "float". Use a string, a bool, or an integer type.',
  "message A { map<A, string> a = 1; }":
    '3:17: a map has keys of the type "A". Use a string, a bool, or an integer type.',
};

const numbers: Cases = {
  "message A {\n  string a = 1;\n  string b = 1;\n}":
    '5:10: field "b" has the same number 1 as "a" in line 4. Use a number that no other field of the message has.',
  "message A {\n  string a = 1;\n  oneof o { string b = 0x1; }\n}":
    '5:20: field "b" has the same number 1 as "a" in line 4. Use a number that no other field of the message has.',
  "message A { string a = 0; }": `3:20: field "a" has the number 0, which protobuf does not allow. ${allowed}`,
  "message A { string a = -1; }": `3:20: field "a" has the number -1, which protobuf does not allow. ${allowed}`,
  "message A { string a = 536870912; }": `3:20: field "a" has the number 536870912, which protobuf does not allow. ${allowed}`,
  "message A { string a = 19000; }": `3:20: field "a" has the number 19000, which protobuf does not allow. ${allowed}`,
  "message A { reserved 2, 4 to 6; string a = 5; }": `3:40: field "a" has the number 5, which is reserved. ${reserved}`,
  "message A { string a = 500; reserved 100 to max; }": `3:20: field "a" has the number 500, which is reserved. ${reserved}`,
  'message A { reserved "b", "a"; string a = 5; }': `3:39: field "a" has a name that is reserved. ${reserved}`,
  "enum E { E_A = 1; }":
    '3:6: enum "E" does not start with the value 0. Add a first value with the number 0, such as …_UNSPECIFIED.',
  "enum E {}":
    '3:6: enum "E" does not start with the value 0. Add a first value with the number 0, such as …_UNSPECIFIED.',
  "enum E {\n  E_A = 0;\n  E_B = 0;\n}":
    '5:3: value "E_B" has the same number 0 as "E_A" in line 4. Use another number, or add `option allow_alias = true;` to the enum.',
  "enum E { E_A = 0; E_B = 2147483648; }":
    '3:19: value "E_B" has the number 2147483648, which is not a 32-bit integer. Use a number from -2147483648 to 2147483647.',
  "enum E { reserved 1; E_A = 0; E_B = 1; }": `3:31: value "E_B" has the number 1, which is reserved. ${reserved}`,
};

const names: Cases = {
  "message A {\n  string a = 1;\n  string a = 2;\n}": `5:10: field "a" is declared twice, first in line 4. ${twice}`,
  "message A {\n  string a = 1;\n  oneof a { string b = 2; }\n}": `5:9: oneof "a" is declared twice, first in line 4. ${twice}`,
  "message A {}\nenum A { A_X = 0; }": `4:6: enum "A" is declared twice, first in line 3. ${twice}`,
  "service S {\n  rpc Go(A) returns (A);\n  rpc Go(A) returns (A);\n}\nmessage A {}": `5:7: rpc "Go" is declared twice, first in line 4. ${twice}`,
  "enum E {\n  A = 0;\n  A = 1;\n}": `5:3: value "A" is declared twice, first in line 4. ${twice}`,
  "message A { string foo_bar = 1; string fooBar = 2; }":
    '3:40: field "fooBar" has the same JSON name "fooBar" as "foo_bar". Rename one of them or set another json_name.',
  'message A { string foo = 1; string bar = 2 [json_name = "foo"]; }':
    '3:36: field "bar" has the same JSON name "foo" as "foo". Rename one of them or set another json_name.',
};

const references: Cases = {
  "message A { Missing a = 1; }":
    '3:21: field "a" has the type "Missing", which is not declared. Correct the name, or import the file that declares it.',
  "message A { map<string, Missing> a = 1; }":
    '3:34: field "a" has the type "Missing", which is not declared. Correct the name, or import the file that declares it.',
  "message A { B.C a = 1; } message B {}":
    '3:17: field "a" has the type "B.C", which is not declared. Correct the name, or import the file that declares it.',
  "service S { rpc Go(Missing) returns (A); } message A {}":
    '3:17: rpc "Go" uses "Missing", which is not a declared message. Correct the name, or import the file that declares it.',
  "service S { rpc Go(A) returns (E); } message A {} enum E { E_A = 0; }":
    '3:17: rpc "Go" uses "E", which is not a declared message. Correct the name, or import the file that declares it.',
  'import "google/protobuf/timstamp.proto";':
    '3:8: the import "google/protobuf/timstamp.proto" does not exist. Create the file google/protobuf/timstamp.proto, or specify the folder that imports are relative to with --proto-path.',
};

const many: Cases = {
  "message A {\n  string a = 1;\n  string a = 1;\n  required string b = 0;\n}": [
    `5:10: field "a" is declared twice, first in line 4. ${twice}`,
    '5:10: field "a" has the same number 1 as "a" in line 4. Use a number that no other field of the message has.',
    `6:19: field "b" has the number 0, which protobuf does not allow. ${allowed}`,
    "6:3: proto3 has no required fields. Add `[(google.api.field_behavior) = REQUIRED]` after the field instead.",
  ],
  "message A {\n  B b = 1;\n  C c = 2;\n}": [
    '4:5: field "b" has the type "B", which is not declared. Correct the name, or import the file that declares it.',
    '5:5: field "c" has the type "C", which is not declared. Correct the name, or import the file that declares it.',
  ],
  "message A {\n  string a = 1\n}\nmessage B {\n  string b 1;\n  string c = x;\n}": [
    '4:15: ";" is missing before "}". Add it.',
    '7:11: "=" is missing before "1". Add it.',
    '8:14: "x" is not a valid number. Correct the syntax there.',
  ],
  "message A {\n  string a = 0;\n}\nmessage B {\n  string b = 1\n}\nmessage C { D d = 1; }": [
    `4:10: field "a" has the number 0, which protobuf does not allow. ${allowed}`,
    '7:15: ";" is missing before "}". Add it.',
    '9:15: field "d" has the type "D", which is not declared. Correct the name, or import the file that declares it.',
  ],
  "message A {}\nmessage A {}\nmessage B {\n  string b = 1\n}\nmessage C { A a = 1; D d = 2; }": [
    `4:9: message "A" is declared twice, first in line 3. ${twice}`,
    '6:15: ";" is missing before "}". Add it.',
  ],
  [Array.from({ length: 30 }, (_, index) => `message M${index} { string a = 1 }`).join("\n")]:
    Array.from(
      { length: 21 },
      (_, index) => `${index + 3}:${index < 10 ? 26 : 27}: ";" is missing before "}". Add it.`,
    ),
};

const files = {
  "b.proto": `${head}message B {\n  string b = 1\n}`,
  "c.proto": `${head}message C {\n  string c = 0;\n}`,
};

const linesOf = (text: string) => problemsOf(sourceOf(text));
const placed = (problems: string | readonly string[]) =>
  [problems].flat().map((problem) => `test.proto:${problem}`);

describe("a file that is not proto3", () => {
  it.each(Object.entries(whole))(
    "an invalid proto is reported in one line with location and hint: %j",
    (text, problems) => {
      expect(linesOf(text)).toEqual(placed(problems));
    },
  );
});

describe.each([
  ["syntax", syntax],
  ["constructs of proto2", proto2],
  ["combinations", combinations],
  ["numbers", numbers],
  ["names", names],
  ["references", references],
  ["statements in several ways", many],
])("a proto with invalid %s", (_, cases) => {
  it.each(Object.entries(cases))(
    "each mistake is reported in a line with location and hint: %j",
    (proto, problems) => {
      expect(linesOf(head + proto)).toEqual(placed(problems));
    },
  );
});

describe("valid proto that resembles mistakes", () => {
  it.each([
    [
      "fields with the names of labels",
      "message A { string required = 1; string group = 2; string default = 3; }",
    ],
    [
      "an option called default",
      'message A { string a = 1 [(my.default) = "x", deprecated = true]; }',
    ],
    [
      "custom options",
      "extend google.protobuf.FieldOptions { string mine = 50000; }\nmessage A {}",
    ],
    [
      "a message called group",
      "message group {} message A { group group = 1; repeated group b = 2; }",
    ],
  ])("the parser accepts %s", (_, proto) => {
    expect(linesOf(head + proto)).toEqual([]);
  });
});

describe("mistakes in imported files", () => {
  it("mistakes of imported files are reported together with mistakes of the main file", () => {
    const main = `${head}import "b.proto";\nimport "c.proto";\nimport "d.proto";\nmessage A {\n  string a = 1\n}`;
    expect(problemsOf(sourceOf(main, files))).toEqual([
      'test.proto:5:8: the import "d.proto" does not exist. Create the file d.proto, or specify the folder that imports are relative to with --proto-path.',
      'test.proto:7:15: ";" is missing before "}". Add it.',
      'b.proto:4:15: ";" is missing before "}". Add it.',
      `c.proto:4:10: field "c" has the number 0, which protobuf does not allow. ${allowed}`,
    ]);
  });
});

describe("a proto that exceeds a limit", () => {
  it("declarations that are nested too deeply are reported in one line", () => {
    const nested = (depth: number) =>
      `${"message A {\n".repeat(depth)}enum E { X = 0; }${"}".repeat(depth)}`;
    expect(linesOf(head + nested(32))).toEqual([]);
    expect(linesOf(head + nested(33))).toEqual(
      placed("35:9: the declarations are nested too deeply. Nest at most 32 in each other."),
    );
  });
});
