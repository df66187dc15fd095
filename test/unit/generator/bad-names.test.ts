import { describe, expect, it } from "vitest";
import { sourceOf } from "../../support/output.js";
import { head, problemsOf } from "./reading.js";

/** Each case: what is wrong, the proto behind the head (lines 1 and 2), and the lines that the user sees. */
type Case = readonly [what: string, proto: string, ...problems: readonly string[]];

const twice = "Rename or remove one of them.";
const allowed = "Use a number from 1 to 536870911, except 19000 to 19999.";

const names: readonly Case[] = [
  [
    "two fields of one name",
    "message A {\n  string a = 1;\n  string a = 2;\n}",
    `5:10: field "a" is declared twice, first in line 4. ${twice}`,
  ],
  [
    "a oneof called like a field",
    "message A {\n  string a = 1;\n  oneof a { string b = 2; }\n}",
    `5:9: oneof "a" is declared twice, first in line 4. ${twice}`,
  ],
  [
    "two types of one name",
    "message A {}\nenum A { A_X = 0; }",
    `4:6: enum "A" is declared twice, first in line 3. ${twice}`,
  ],
  [
    "two rpcs of one name",
    "service S {\n  rpc Go(A) returns (A);\n  rpc Go(A) returns (A);\n}\nmessage A {}",
    `5:7: rpc "Go" is declared twice, first in line 4. ${twice}`,
  ],
  [
    "two values of one name",
    "enum E {\n  A = 0;\n  A = 1;\n}",
    `5:3: value "A" is declared twice, first in line 4. ${twice}`,
  ],
  [
    "one JSON name twice",
    "message A {\n  string foo_bar = 1;\n  string fooBar = 2;\n}",
    '5:10: field "fooBar" has the JSON name "fooBar", which "foo_bar" has too. Rename one of them or set another json_name.',
  ],
  [
    "a json_name twice",
    'message A {\n  string foo = 1;\n  string bar = 2 [json_name = "foo"];\n}',
    '5:10: field "bar" has the JSON name "foo", which "foo" has too. Rename one of them or set another json_name.',
  ],
];

const references: readonly Case[] = [
  [
    "a type that is not there",
    "message A {\n  Missing a = 1;\n}",
    '4:11: field "a" has the type "Missing", which is not declared. Correct the name, or import the file that declares it.',
  ],
  [
    "a value that is not there",
    "message A {\n  map<string, Missing> a = 1;\n}",
    '4:24: field "a" has the type "Missing", which is not declared. Correct the name, or import the file that declares it.',
  ],
  [
    "a nested type that is not there",
    "message A {\n  B.C a = 1;\n}\nmessage B {}",
    '4:7: field "a" has the type "B.C", which is not declared. Correct the name, or import the file that declares it.',
  ],
  [
    "a request that is not there",
    "service S {\n  rpc Go(Missing) returns (A);\n}\nmessage A {}",
    '4:7: rpc "Go" uses "Missing", which is no declared message. Correct the name, or import its file.',
  ],
  [
    "a response that is an enum",
    "service S {\n  rpc Go(A) returns (E);\n}\nmessage A {}\nenum E { E_A = 0; }",
    '4:7: rpc "Go" uses "E", which is no declared message. Correct the name, or import its file.',
  ],
  [
    "a well-known import that is misspelt",
    'import "google/protobuf/timstamp.proto";',
    '3:8: the import "google/protobuf/timstamp.proto" is not there. Put the file at that path, relative to the main proto.',
  ],
];

const many: readonly Case[] = [
  [
    "several things at once",
    "message A {\n  string a = 1;\n  string a = 1;\n  required string b = 0;\n}",
    `5:10: field "a" is declared twice, first in line 4. ${twice}`,
    '5:10: field "a" has the number 1, which "a" has in line 4. Give it a number that no other field of the message has.',
    `6:19: field "b" has the number 0, which protobuf does not allow. ${allowed}`,
    "6:3: proto3 has no required fields. Write `[(google.api.field_behavior) = REQUIRED]` behind the field instead.",
  ],
  [
    "several types that are not there",
    "message A {\n  B b = 1;\n  C c = 2;\n}",
    '4:5: field "b" has the type "B", which is not declared. Correct the name, or import the file that declares it.',
    '5:5: field "c" has the type "C", which is not declared. Correct the name, or import the file that declares it.',
  ],
];

const deep = Array.from({ length: 1000 }, (_, index) => `message M${index} {`).join(" ") + "}".repeat(1000);

const linesOf = (text: string) => problemsOf(sourceOf(text));
const placed = (problems: readonly string[]) => problems.map((problem) => `test.proto:${problem}`);

describe.each([
  ["names", names],
  ["references", references],
  ["statements in several ways", many],
])("a proto whose %s are wrong", (_, cases) => {
  it.each(cases)("(%s) gets a line for each problem, with its place and a remedy", (_what, proto, ...problems) => {
    expect(linesOf(head + proto)).toEqual(placed(problems));
  });
});

describe("a proto that is too deep", () => {
  it("gets a line, and no overflow", () => {
    expect(linesOf(head + deep)).toHaveLength(1);
    expect(linesOf(head + deep)[0]).toContain("the declarations are nested too deeply");
  });
});
