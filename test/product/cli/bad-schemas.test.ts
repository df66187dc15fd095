import { describe, expect, it } from "vitest";
import { Project } from "./command.js";

/** A schema with these lines between the braces of its definitions. */
const schema = (...definitions: string[]): string =>
  `{\n  "$schema": "http://json-schema.org/draft-07/schema#",\n  "definitions": {\n${definitions.map((line) => `    ${line}`).join(",\n")}\n  }\n}\n`;

const proto =
  'syntax = "proto3";\npackage p;\nmessage A {\n  string id = 1;\n}\nmessage In {\n  A a = 1;\n}\nservice S {\n  rpc Start(In) returns (A);\n}\n';
const definitions = [
  '"A": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }',
  '"Params": { "type": "object", "properties": { "a": { "$ref": "#/definitions/A" } } }',
  '"StartRequest": { "type": "object", "properties": { "method": { "const": "do", "type": "string" }, "params": { "$ref": "#/definitions/Params" } } }',
  '"StartResponse": { "type": "object", "properties": { "result": { "$ref": "#/definitions/A" } } }',
];
const both = { "a.proto": proto, "a.json": schema(...definitions) };
const withBoth = ["--spec", "a.proto", "--schema", "a.json"];

/** Each case: what is wrong, the files of the project, the arguments, and the lines that the user sees. */
const cases: readonly (readonly [string, Record<string, string>, readonly string[], ...string[]])[] = [
  [
    "text that is not valid JSON",
    { "a.json": '{\n  "definitions": {\n    "A": }\n}' },
    ["--spec", "a.json"],
    expect.stringMatching(/^a\.json:3:10: the schema is not valid JSON: .*\. Correct /) as string,
  ],
  [
    "a reference that leads nowhere",
    { "a.json": schema('"A": { "$ref": "#/definitions/Nope" }') },
    ["--spec", "a.json"],
    expect.stringMatching(/^a\.json:4:\d+: .*"#\/definitions\/Nope".*\. .*\.$/) as string,
  ],
  [
    "an alias that only leads back to itself",
    { "a.json": schema('"A": { "$ref": "#/definitions/B" }', '"B": { "$ref": "#/definitions/A" }') },
    ["--spec", "a.json"],
    expect.stringMatching(/^a\.json:4:5: .*recursive alias.*\. .*\.$/) as string,
  ],
  [
    "an allOf that contradicts itself",
    { "a.json": schema('"A": { "allOf": [{ "type": "string" }, { "type": "integer" }] }') },
    ["--spec", "a.json"],
    'a.json:4:10: "A" has to be a string and an integer at once, so no value fits. Correct one of the two.',
  ],
  [
    "two definitions that differ by case",
    { "a.json": schema('"Task": { "type": "string" }', '"task": { "type": "string" }') },
    ["--spec", "a.json"],
    'a.json:5:5: the definitions "Task" (line 4) and "task" differ by case only. Rename one of them.',
  ],
  [
    "a keyword that nobody knows",
    { "a.json": schema('"A": { "type": "string", "maxlength": 3 }') },
    ["--spec", "a.json"],
    expect.stringMatching(/^a\.json:4:\d+: .*"maxlength".*\. .*\.$/) as string,
  ],
  [
    "a schema that is not there",
    { "a.proto": proto },
    ["--spec", "a.proto", "--schema", "nope.json"],
    'there is no JSON Schema "nope.json". Correct the path.',
  ],
  [
    "a property that nothing carries",
    { ...both, "a.json": schema(...definitions).replace('"id": {', '"extra": { "type": "string" }, "id": {') },
    withBoth,
    expect.stringMatching(
      /^a\.json:4:\d+: nothing in the proto carries A\.extra\. Map a field to it under correlate\.fields, or list A\.extra under correlate\.onlyJson\.$/,
    ) as string,
  ],
  [
    "a field that carries nothing",
    { ...both, "a.proto": proto.replace("string id = 1;", "string id = 1;\n  bool extra = 2;") },
    withBoth,
    "a.proto:5:8: the field A.extra has no counterpart in A. Name its property under correlate.fields, or list it under correlate.onlyProtobuf.",
  ],
  [
    "a mapping for a field that does not exist",
    { ...both, "m.yaml": "correlate:\n  fields:\n    A.nope: id\n" },
    [...withBoth, "--manifest", "m.yaml"],
    expect.stringMatching(
      /^m\.yaml:3:\d+: "A\.nope" under correlate\.fields is neither in the proto nor in the schema/,
    ) as string,
  ],
  [
    "a message that would have to carry two types",
    {
      "a.proto": proto.replace("A a = 1;", "A a = 1;\n  A b = 2;"),
      "a.json": schema(
        ...definitions,
        '"B": { "type": "object", "properties": { "id": { "type": "string" } } }',
      ).replace('"a": { "$ref"', '"b": { "$ref": "#/definitions/B" }, "a": { "$ref"'),
    },
    withBoth,
    "a.proto:3:9: p.A would have to carry both A and B. Map the fields under correlate.fields or correlate.members.",
  ],
];

describe("a bad schema", () => {
  const table = cases.map(([what, files, args, ...lines]) => ({ what, files, args, lines }));

  it.concurrent.each(table)("($what) gets its line, exit code 2, and nothing is written", async (example) => {
    const project = new Project(example.files);
    const before = project.files();
    const { code, stdout, stderr } = await project.run(["generate", "--out", "out", ...example.args]);
    expect(stderr.split("\n").slice(0, -1)).toEqual(example.lines);
    expect([code, stdout]).toEqual([2, ""]);
    expect(project.files()).toEqual(before);
  });

  it("is none with all of this in order", async () => {
    const project = new Project(both);
    const { code, stderr } = await project.run(["generate", "--out", "out", ...withBoth]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(project.read("out/protobuf.ts")).toContain("export function encodeIn(value: Params)");
  });
});
