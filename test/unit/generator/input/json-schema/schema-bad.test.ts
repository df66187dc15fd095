import { describe, expect, it } from "vitest";
import type { Cases } from "../proto/reading.js";
import { problemsOf } from "./schema-reading.js";

/** A schema with a definition a line, from line 2 on. */
const here = (definitions: string) =>
  `{ "definitions": {\n${definitions.replaceAll("\n", ",\n")}\n} }`;
const placed = (problems: string | readonly string[]) =>
  [problems].flat().map((problem) => `s.json:${problem}`);
const correct = "Correct the value.";
const eitherOne = "Correct one of the two.";
const rename = "Rename one of them.";

const references: Cases = {
  '"A": { "$ref": "#/definitions/B" }':
    '2:8: "#/definitions/B" refers to a missing definition. Add it to the definitions, or correct the name.',
  '"A": { "properties": { "x": {} } }\n"B": { "$ref": "#/definitions/A/properties/y" }':
    '3:8: "#/definitions/A/properties/y" does not refer to a schema. Refer to a definition, a property or a file.',
  '"A": { "required": ["x"] }\n"B": { "$ref": "#/definitions/A/required/0" }':
    '3:8: "#/definitions/A/required/0" does not refer to a schema. Refer to a definition, a property or a file.',
  '"A": { "items": { "$ref": "b.json#/definitions/B" } }':
    '2:19: "b.json#/definitions/B" refers to another file, which does not exist in the project. Add it to the project as b.json, relative to the schema, or copy the definition into this file.',
  '"A": { "$ref": "#/definitions/B" }\n"B": { "allOf": [{ "$ref": "#/definitions/A" }] }':
    '2:1: "A" → "B" → "A" is a recursive alias without a base type. Declare one of them as an object or a union.',
  '"A": { "anyOf": [{ "$ref": "#/definitions/A" }] }':
    '2:1: "A" → "A" is a recursive alias without a base type. Declare one of them as an object or a union.',
};

const names: Cases = {
  '"Task": {}\n"task": {}': `3:1: the definitions "Task" (line 2) and "task" only differ in case. ${rename}`,
  ...Object.fromEntries(
    ["__proto__", "constructor"].map((name) => [
      `"${name}": {}`,
      `2:1: the definition "${name}" has a name that is unsafe as a key in JavaScript. Rename it.`,
    ]),
  ),
  '"A": { "properties": { "__proto__": {} }, "required": ["__proto__"] }': [
    '2:24: the property "__proto__" has a name that is unsafe as a key in JavaScript. Rename or remove it.',
    '2:43: the property "__proto__" has a name that is unsafe as a key in JavaScript. Rename or remove it.',
  ],
  '"1": {}':
    '2:1: the definition "1" has a name that is invalid in TypeScript. Rename it, or set its name in a manifest: names: { "1": … }.',
  '"AB": {}\n"A": { "type": "object", "properties": { "b": { "type": "object", "properties": { "c": {} } } } }':
    '3:47: "AB" and "A.b" both have the name "AB" in TypeScript. Rename one of them, or set its name in a manifest: names: { "A.b": … }.',
  '"A": { "enum": ["x-y", "x y"] }':
    '2:24: the values "x-y" and "x y" both have the key "XY" in TypeScript. Set a key for one of them in a manifest: keys: { "A.x y": … }.',
  '"A": { "enum": ["1"] }':
    '2:17: the value "1" has no key in TypeScript. Set a key for one of them in a manifest: keys: { "A.1": … }.',
  '"A": { "type": "object", "properties": { "method": { "const": "m" } } }\n"ARequest": { "type": "object", "properties": { "method": { "const": "n" } } }':
    '3:1: "A" and "ARequest" both declare the operation "A". Rename or remove one of them.',
  '"ARequest": { "type": "object", "properties": { "method": { "const": "m" } } }\n"AResponse": { "anyOf": [{ "properties": { "result": {} } }, { "properties": { "result": {} } }] }':
    '3:1: "AResponse" has several members with a "result". Keep one member whose "result" is a union.',
};

const contradictions: Cases = {
  '"A": { "allOf": [{ "type": "string" }, { "type": ["number", "null"] }] }': `2:6: "A" must be both a string and a number or null, so no value is valid. ${eitherOne}`,
  '"A": { "type": "array", "$ref": "#/definitions/B" }\n"B": { "type": "object" }': `2:6: "A" must be both a list and "B", so no value is valid. ${eitherOne}`,
  '"A": { "allOf": [{ "const": 1 }, { "const": 2 }] }': `2:6: "A" must be both the constant 1 and the constant 2, so no value is valid. ${eitherOne}`,
  '"A": { "allOf": [{ "$ref": "#/definitions/B" }, { "const": "z" }] }\n"B": { "enum": ["x", "y"] }': `2:6: "A" must be both "B" and the constant "z", so no value is valid. ${eitherOne}`,
  '"A": { "allOf": [{ "$ref": "#/definitions/B" }, { "properties": { "kind": { "const": "a" } } }] }\n"B": { "type": "object", "properties": { "kind": { "const": "b" } } }': `2:75: "A.kind" must be both the constant "b" and the constant "a", so no value is valid. ${eitherOne}`,
  '"A": { "allOf": [{ "type": "number", "minimum": 5 }, { "maximum": 3 }] }': `2:6: "A" must be both a number from 5 and a number up to 3, so no value is valid. ${eitherOne}`,
  '"A": { "type": "string", "minLength": 2, "maxLength": 1 }': `2:6: the limits of "A" allow no value: the minimum is above the maximum. ${eitherOne}`,
  '"A": { "const": "a", "enum": ["b"] }': `2:6: the constant of "A" is not in its "enum". ${eitherOne}`,
  '"A": { "type": "number", "enum": ["b", null] }': `2:6: the constants of "A" ("b", null) violate its other keywords. ${eitherOne}`,
};

const keywords: Cases = {
  ...Object.fromEntries(
    [
      "dependencies",
      "dependentRequired",
      "dependentSchemas",
      "prefixItems",
      "nullable",
      "$dynamicRef",
    ].map((keyword) => [
      `"A": { "${keyword}": {} }`,
      `2:8: the keyword "${keyword}" is not supported here. Remove it, or use other keywords.`,
    ]),
  ),
  '"A": { "items": [{}] }':
    '2:8: a list of schemas in "items" is not supported. Use one schema for all elements.',
  '"A": { "const": {} }\n"B": { "enum": [[], 1] }': [
    '2:8: objects and lists in "const" are not supported. List scalars, or describe the value with other keywords.',
    '3:8: objects and lists in "enum" are not supported. List scalars, or describe the value with other keywords.',
  ],
  '"A": { "enum": [] }': `2:8: "enum" must be a list of values. ${correct}`,
  '"A": { "enum": ["a", "a"] }': '2:8: "enum" contains "a" twice. Remove one of them.',
  '"A": { "pattern": "[" }\n"B": { "patternProperties": { "\\\\-": {} } }': [
    '2:8: the pattern "[" is invalid: Unterminated character class. Correct it: it must be a JavaScript regular expression with the flag u.',
    '3:31: the pattern "\\\\-" is invalid: Invalid escape. Correct it: it must be a JavaScript regular expression with the flag u.',
  ],
  '"A": { "type": "text" }': `2:8: "type" must be one of object, array, string, number, integer, boolean, null, or a list of them. ${correct}`,
  '"A": { "minLength": -1 }': `2:8: "minLength" must be a whole number from 0. ${correct}`,
  '"A": { "exclusiveMinimum": true }': `2:8: "exclusiveMinimum" must be a number. ${correct}`,
  '"A": { "multipleOf": 0 }': `2:8: "multipleOf" must be a number above 0. ${correct}`,
  '"A": { "required": true }': `2:8: "required" must be a list of strings without duplicates. ${correct}`,
  '"A": { "anyOf": [] }': `2:8: "anyOf" must be a list of schemas. ${correct}`,
  '"A": { "properties": [] }': `2:8: "properties" must be an object of schemas. ${correct}`,
  '"A": { "title": 1 }': `2:8: "title" must be a string. ${correct}`,
  '"A": { "deprecated": "yes" }': `2:8: "deprecated" must be true or false. ${correct}`,
  '"A": { "not": [{}] }': `2:8: "not" must be a schema. ${correct}`,
  '"A": { "properties": { "x": 5 } }':
    '2:29: "A.x" is not a schema. Use an object with keywords, true or false.',
};

describe.each([
  ["references", references],
  ["names", names],
  ["contradictions", contradictions],
  ["keywords", keywords],
])("invalid %s", (_, cases) => {
  it.each(Object.entries(cases))("one line reports a schema with %s", (definitions, problems) => {
    expect(problemsOf(here(definitions))).toEqual(placed(problems));
  });
});

describe("a schema that is not valid JSON", () => {
  it.each([
    ["nothing", "", "1:1"],
    ["YAML", "definitions:\n  A: {}\n", "1:1"],
    ["a superfluous comma", '{\n  "a": 1,\n}', "3:1"],
    ["a comment", "{\n  // none\n}", "2:3"],
  ])("invalid JSON is reported in one line with the location: %s", (_, text, place) => {
    const line = new RegExp(
      `^s\\.json:${place}: the schema is not valid JSON: [^\n]+\\. Correct it\\.$`,
    );
    expect(problemsOf(text)).toEqual([expect.stringMatching(line)]);
  });
});

const texts: Cases = {
  '{\n  "a": 1,\n}':
    "3:1: the schema is not valid JSON: Expected double-quoted property name. Correct it.",
  "\n[]": '2:1: the schema is not an object. Use an object with "definitions".',
  '{ "definitions": { "A": {},\n  "A": {} } }':
    '2:3: the key "A" is duplicated, first in line 1. Rename or remove one of them.',
  '{ "default": 1e999 }':
    "1:14: the number is too large. Use a number that a double can represent.",
  '{ "definitions": { "A": {} },\n  "$defs": { "A": {} } }':
    '2:14: "A" is defined twice, first in line 1. Rename or remove one of them.',
  '{ "$defs": [] }': '1:3: "$defs" must be an object of schemas. Correct the value.',
  '{ "$schema": "http://json-schema.org/draft-04/schema#" }':
    '1:3: the dialect "http://json-schema.org/draft-04/schema#" is unknown. Use draft-06 or later, for example http://json-schema.org/draft-07/schema#.',
  '{ "name": "a", "version": "1" }':
    '1:1: the file is not a JSON Schema. Specify a JSON Schema with types under "definitions".',
};

describe("a document that is not a schema", () => {
  it.each(Object.entries(texts))(
    "a document that is not a schema is reported in one line with its location: %j",
    (text, problem) => {
      expect(problemsOf(text)).toEqual(placed(problem));
    },
  );

  it("a document that is nested too deeply is reported in one line", () => {
    const problem =
      "1:214: the schema nests deeper than 200 levels. Move inner schemas into definitions.";
    expect(problemsOf(`{ "default": ${"[".repeat(9000)}${"]".repeat(9000)} }`)).toEqual(
      placed(problem),
    );
  });
});

describe("hostile definitions", () => {
  const chain = (length: number, link: (target: object) => object) =>
    here(
      Array.from(
        { length },
        (_, index) =>
          `"${letters(index)}": ${JSON.stringify(link({ $ref: `#/definitions/${letters(index + 1)}` }))}`,
      ).join("\n"),
    ).replace(/\n\} \}$/, `,\n"${letters(length)}": { "type": "object", "properties": {} } } }`);
  const letters = (index: number) =>
    String(index).replaceAll(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)));

  it.each([
    ["in order", (target: object) => target],
    ["by allOf", (target: object) => ({ allOf: [target, { properties: { a: {} } }] })],
  ])("a long chain of definitions is refused: %s", (_, link) => {
    expect(problemsOf(chain(99, link))).toEqual([]);
    expect(problemsOf(chain(9999, link))).toEqual([
      's.json:2:1: "a" is a chain of more than 100 references. Shorten the chain.',
    ]);
  });

  it.each(["allOf", "anyOf"])(
    "definitions that double each other by %s are refused quickly, because validators would check each path",
    (key) => {
      expect(
        problemsOf(chain(60, (target) => ({ [key]: [target, { ...target, title: "" }] }))),
      ).toEqual([
        's.json:2:1: "a" combines more than 100000 schemas by its references. Refer to each schema once.',
      ]);
    },
  );
});

describe("a hint", () => {
  it("a hint must not use the name of another type", () => {
    const problem =
      '3:1: "A" and "B" both have the name "A" in TypeScript. Rename one of them, or set its name in a manifest: names: { "B": … }.';
    expect(problemsOf(here('"A": {}\n"B": {}'), { names: { B: "A" } })).toEqual(placed(problem));
  });
});
