import { describe, expect, it } from "vitest";
import { sourceOf } from "../../support/output.js";
import { head, problemsOf } from "./reading.js";

/** Each case: what is wrong, the proto behind the head (lines 1 and 2), and the lines that the user sees. */
type Case = readonly [what: string, proto: string, ...problems: readonly string[]];

const unlike = 'Only proto3 is supported: start the file with `syntax = "proto3";` and adapt it.';
const member = "Wrap the field in a message, and make that the member.";
const reserved = "Use another one; what is reserved belonged to something that was removed.";
const allowed = "Use a number from 1 to 536870911, except 19000 to 19999.";

const whole: readonly Case[] = [
  ["an empty file", "", "1:1: the file is empty. Name a proto with messages and services."],
  ["white space", " \n\n", "1:1: the file is empty. Name a proto with messages and services."],
  ["a binary file", "\u0000\u0001PNG", "1:1: the file is not UTF-8 text. Name a proto, saved as UTF-8."],
  ["another encoding", `${head}// caf\uFFFD\n`, "3:7: the file is not UTF-8 text. Name a proto, saved as UTF-8."],
  ["JSON", '{"a": 1}', "1:1: the file is not a proto: it starts with {. Name a proto."],
  ["HTML", "<!doctype html>", "1:1: the file is not a proto: it starts with <. Name a proto."],
  ["proto2", 'syntax = "proto2";', `1:1: the file uses the syntax "proto2". ${unlike}`],
  ["an edition", '// x\nedition = "2023";', `2:1: the file uses edition 2023. ${unlike}`],
  ["no syntax", "message A {}", `1:1: the file does not declare its syntax, which makes it proto2. ${unlike}`],
  [
    "a late syntax",
    'package p;\nsyntax = "proto3";',
    "2:1: the syntax does not come first. Move it to the start of the file, and keep only one.",
  ],
  ["nothing in it", head, "1:1: the file declares no message, enum or rpc. Name the proto that does."],
  ["a syntax without end", 'syntax = "proto3"\npackage p;', '1:18: ";" is missing before "package". Add it.'],
];

const syntax: readonly Case[] = [
  ["no semicolon", "message A {\n  string a = 1\n  string b = 2;\n}", '4:15: ";" is missing before "string". Add it.'],
  ["no semicolon at the end", "message A {\n  string a = 1\n}", '4:15: ";" is missing before "}". Add it.'],
  [
    "no closing brace",
    "message A {\n  message B {\n    string a = 1;\n}",
    '3:11: the "{" here is never closed. Close it with "}".',
  ],
  ["a closing brace too many", "message A {}\n}", '4:1: "}" cannot stand here. Correct the syntax there.'],
  ["an endless comment", "message A {}\n  /* never", "4:3: the comment that starts here never ends. Close it with */."],
  ["an endless string", 'import "abc;\nmessage A {}', '3:8: the string that starts here never ends. Close it with ".'],
  ["no number", "message A {\n  string a;\n}", '4:11: "=" is missing before ";". Add it.'],
  [
    "a word for a number",
    "message A {\n  string a = b;\n}",
    '4:14: "b" is not a valid number. Correct the syntax there.',
  ],
  [
    "a fraction for a number",
    "message A {\n  string a = 1.5;\n}",
    '4:14: "1.5" is not a valid number. Correct the syntax there.',
  ],
  ["a dash in a name", "message A-B {}", '3:9: "A-B" is not a valid name of a type. Correct the syntax there.'],
  ["another alphabet", "message Ä {}", '3:9: "Ä" is not a valid name of a type. Correct the syntax there.'],
  ["two packages", "package q;", '3:1: "package" cannot stand here. Correct the syntax there.'],
  ["a bracket too few", "option (foo = 1;", '3:12: ")" is missing before "=". Add it.'],
];

const proto2: readonly Case[] = [
  [
    "required",
    "message A {\n  required string a = 1;\n}",
    "4:3: proto3 has no required fields. Write `[(google.api.field_behavior) = REQUIRED]` behind the field instead.",
  ],
  [
    "a group",
    "message A {\n  optional group G = 1 { string a = 2; }\n}",
    "4:12: proto3 has no groups. Use a nested message and a field of its type.",
  ],
  [
    "extensions",
    "message A {\n  extensions 100 to 200;\n}",
    "4:3: proto3 has no extension ranges. Remove the statement.",
  ],
  [
    "extend",
    "message A {}\nextend A { string b = 100; }",
    '4:8: "A" is extended, which proto3 allows for options only. Put the fields into the message itself.',
  ],
  [
    "a default",
    'message A {\n  string a = 1 [deprecated = true, default = "x"];\n}',
    "4:36: proto3 has no default values. Remove it, or put it into a comment.",
  ],
];

const combinations: readonly Case[] = [
  [
    "a repeated member",
    "message A {\n  oneof o {\n    repeated string a = 1;\n  }\n}",
    `5:5: a oneof has a member that is repeated. ${member}`,
  ],
  [
    "an optional member",
    "message A {\n  oneof o {\n    optional string a = 1;\n  }\n}",
    `5:5: a oneof has a member that is optional. ${member}`,
  ],
  [
    "a map as a member",
    "message A {\n  oneof o {\n    map<string, string> a = 1;\n  }\n}",
    `5:5: a oneof has a member that is a map. ${member}`,
  ],
  [
    "a oneof in a oneof",
    "message A {\n  oneof o {\n    oneof p { string a = 1; }\n  }\n}",
    "5:5: a oneof stands within another one. Put it into a message of its own.",
  ],
  ["an empty oneof", "message A {\n  oneof o {}\n}", '4:9: oneof "o" has no fields. Add one, or remove the oneof.'],
  [
    "two labels",
    "message A {\n  repeated optional string a = 1;\n}",
    "4:12: a field is both repeated and optional. Leave one of them out.",
  ],
  [
    "a map of maps",
    "message A {\n  map<string, map<string, string>> a = 1;\n}",
    "4:15: a map has maps as values. Wrap the inner map in a message.",
  ],
  [
    "a repeated map",
    "message A {\n  repeated map<string, string> a = 1;\n}",
    "4:3: a map is repeated. Remove the label, or wrap the map in a message.",
  ],
  [
    "fractions as keys",
    "message A {\n  map<float, string> a = 1;\n}",
    '4:7: a map has keys of the type "float". Use a string, a bool, or a type of whole numbers.',
  ],
  [
    "messages as keys",
    "message A {\n  map<A, string> a = 1;\n}",
    '4:7: a map has keys of the type "A". Use a string, a bool, or a type of whole numbers.',
  ],
];

const numbers: readonly Case[] = [
  [
    "two fields on one number",
    "message A {\n  string a = 1;\n  string b = 1;\n}",
    '5:10: field "b" has the number 1, which "a" has in line 4. Give it a number that no other field of the message has.',
  ],
  [
    "a member on the number of a field",
    "message A {\n  string a = 1;\n  oneof o { string b = 0x1; }\n}",
    '5:20: field "b" has the number 1, which "a" has in line 4. Give it a number that no other field of the message has.',
  ],
  [
    "zero",
    "message A {\n  string a = 0;\n}",
    `4:10: field "a" has the number 0, which protobuf does not allow. ${allowed}`,
  ],
  [
    "less than zero",
    "message A {\n  string a = -1;\n}",
    `4:10: field "a" has the number -1, which protobuf does not allow. ${allowed}`,
  ],
  [
    "one too large",
    "message A {\n  string a = 536870912;\n}",
    `4:10: field "a" has the number 536870912, which protobuf does not allow. ${allowed}`,
  ],
  [
    "one of protobuf itself",
    "message A {\n  string a = 19000;\n}",
    `4:10: field "a" has the number 19000, which protobuf does not allow. ${allowed}`,
  ],
  [
    "a reserved number",
    "message A {\n  reserved 2, 4 to 6;\n  string a = 5;\n}",
    `5:10: field "a" has the number 5, which is reserved. ${reserved}`,
  ],
  [
    "a number that is reserved later",
    "message A {\n  string a = 500;\n  reserved 100 to max;\n}",
    `4:10: field "a" has the number 500, which is reserved. ${reserved}`,
  ],
  [
    "a reserved name",
    'message A {\n  reserved "b", "a";\n  string a = 5;\n}',
    `5:10: field "a" has a name that is reserved. ${reserved}`,
  ],
  [
    "an enum without zero",
    "enum E {\n  E_A = 1;\n}",
    '3:6: enum "E" does not start with the value 0. Add a first value with the number 0, such as …_UNSPECIFIED.',
  ],
  [
    "an enum without values",
    "enum E {}",
    '3:6: enum "E" does not start with the value 0. Add a first value with the number 0, such as …_UNSPECIFIED.',
  ],
  [
    "two values on one number",
    "enum E {\n  E_A = 0;\n  E_B = 0;\n}",
    '5:3: value "E_B" has the number 0, which "E_A" has in line 4. Give it another number, or put `option allow_alias = true;` into the enum.',
  ],
  [
    "a value that is too large",
    "enum E {\n  E_A = 0;\n  E_B = 2147483648;\n}",
    '5:3: value "E_B" has the number 2147483648, which is not a 32-bit integer. Use a number from -2147483648 to 2147483647.',
  ],
  [
    "a reserved value",
    "enum E {\n  reserved 1;\n  E_A = 0;\n  E_B = 1;\n}",
    `6:3: value "E_B" has the number 1, which is reserved. ${reserved}`,
  ],
];

const linesOf = (text: string) => problemsOf(sourceOf(text));
const placed = (problems: readonly string[]) => problems.map((problem) => `test.proto:${problem}`);

describe("a file that is no proto3", () => {
  it.each(whole)("because of %s gets one line", (_, proto, ...problems) => {
    expect(linesOf(proto)).toEqual(placed(problems));
  });
});

describe.each([
  ["syntax", syntax],
  ["constructs of proto2", proto2],
  ["combinations", combinations],
  ["numbers", numbers],
])("a proto whose %s are wrong", (_, cases) => {
  it.each(cases)("(%s) gets a line for each problem, with its place and a remedy", (_what, proto, ...problems) => {
    expect(linesOf(head + proto)).toEqual(placed(problems));
  });
});

describe("words that only look wrong", () => {
  it.each([
    ["fields called like labels", "message A { string required = 1; string group = 2; string default = 3; }"],
    ["an option called default", 'message A { string a = 1 [(my.default) = "x", deprecated = true]; }'],
    ["options of our own", "extend google.protobuf.FieldOptions { string mine = 50000; }\nmessage A {}"],
    ["a message called like a group", "message group {} message A { group group = 1; repeated group b = 2; }"],
  ])("are fine: %s", (_, proto) => {
    expect(linesOf(head + proto)).toEqual([]);
  });
});
