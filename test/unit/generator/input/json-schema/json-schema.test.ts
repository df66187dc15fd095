import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { specRegistry } from "../../../../../generator/api/index.js";
import { parseYaml } from "../../../../../support/yaml.js";
import { manifestSchema } from "../../../../../generator/input/manifest/schema.js";
import { configSchema } from "../../../../../generator/project/config-schema.js";
import { pointerOf } from "../../../../../support/json-pointer.js";
import { violationsOf, withoutNul, type JsonSchema } from "../../../../../support/json-schema.js";
import { isRecord } from "../../../../../support/values.js";

const manifests = [
  ...specRegistry()
    .find("1.0")
    .manifests.map(({ text }) => parseYaml(text).value),
  // Random changes rarely add an invalid name.
  { subjects: { "A b": ["a"] }, legacy: { types: { "a.b": { now: "Task", since: "1.0.0" } } } },
];
const values = fc.constantFrom<unknown>(
  null,
  true,
  0,
  1.5,
  500,
  "",
  "A b",
  "1.0",
  "/x",
  [],
  ["a", 1],
  [1, 2, 3],
  {},
  { a: {} },
);
const configurations = [
  { spec: "1.0", out: "src/a2a", targets: ["client"], importExtension: "js", dropExpired: true },
  { spec: ["1.0", { spec: "a.proto", protoPaths: ["."], agent: "agent.ts" }], aliases: "none" },
  {},
];
const keys = fc.constantFrom("nope", "a b", "__proto__", "toString", "types", "url", "error");

/** Returns the violations that Ajv finds, each as its kind and the path of the value or key. */
function expected(ajv: ValidateFunction, value: unknown) {
  ajv(value);
  // A key that violates a schema of keys has an error of its own, and an error for each violation
  // of that schema.
  const errors = (ajv.errors ?? []).filter((error) => !("propertyName" in error));
  return errors.map((error) => `${kindOf(error)} ${pathOf(error)}`);
}

function found(schema: JsonSchema, value: unknown) {
  return violationsOf(schema, value).map(({ kind, path }) => `${kind} ${pointerOf(path)}`);
}

function kindOf({ keyword }: ErrorObject) {
  const kinds = { required: "missing", additionalProperties: "unknown", propertyNames: "name" };
  return Object.entries(kinds).find(([name]) => name === keyword)?.[1] ?? "value";
}

function pathOf({ instancePath, params }: ErrorObject) {
  const key: unknown =
    params["missingProperty"] ?? params["additionalProperty"] ?? params["propertyName"];
  return typeof key === "string" ? `${instancePath}${pointerOf([key])}` : instancePath;
}

/** Returns a copy of a value in which a random member is replaced, added or removed. */
function changed(
  value: unknown,
  steps: readonly number[],
  key: string | undefined,
  by: unknown,
): unknown {
  const [step = 0, ...rest] = steps;
  const names = isRecord(value) || Array.isArray(value) ? Object.keys(value) : [];
  if (steps.length === 0 || names.length === 0) {
    if (key === undefined || !isRecord(value)) return by;
    return Object.fromEntries([...Object.entries(value), [key, by]]);
  }
  const name = names[step % names.length] ?? "";
  const replace = (member: unknown): unknown => changed(member, rest, key, by);
  if (Array.isArray(value))
    return value.map((member: unknown, at) => (String(at) === name ? replace(member) : member));
  const entries = Object.entries(value as object).filter(
    ([each]) => each !== name || step % 5 > 0 || rest.length > 0,
  );
  return Object.fromEntries(
    entries.map(([each, member]) => [each, each === name ? replace(member) : member]),
  );
}

/**
 * Compares the check with Ajv on random changes of values. Returns how often it found each kind of
 * violation.
 */
function compare(
  schema: JsonSchema,
  bases: readonly unknown[],
  check: (ajv: ValidateFunction, value: unknown) => void,
) {
  const ajv = new Ajv({ allErrors: true, strict: false }).compile(schema);
  const kinds: Record<string, number> = {};
  const steps = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });
  fc.assert(
    fc.property(
      fc.constantFrom(...bases),
      steps,
      fc.option(keys, { nil: undefined }),
      values,
      (base, at, key, by) => {
        const value = changed(base, at, key, by);
        for (const { kind } of violationsOf(schema, value)) kinds[kind] = (kinds[kind] ?? 0) + 1;
        check(ajv, value);
      },
    ),
    { numRuns: 1000 },
  );
  return kinds;
}

describe("the check against a JSON Schema", () => {
  it("the check finds exactly the violations that Ajv finds in manifests with random changes", () => {
    const kinds = compare(manifestSchema(), manifests, (ajv, value) => {
      expect(new Set(found(manifestSchema(), value))).toEqual(new Set(expected(ajv, value)));
    });
    expect(Object.keys(kinds).toSorted()).toEqual(["missing", "name", "unknown", "value"]);
  });

  // Ajv also reports the alternatives that do not have the type of the value.
  it("the check accepts exactly the configurations that Ajv accepts", () => {
    const kinds = compare(configSchema, configurations, (ajv, value) => {
      expect(found(configSchema, value).length === 0).toBe(ajv(value));
    });
    expect(Object.keys(kinds).toSorted()).toEqual(["missing", "unknown", "value"]);
  });

  it.each<[JsonSchema, unknown, string]>([
    [{ type: ["string", "number"] }, true, "must be a string or a number"],
    [{ type: "array", items: { type: "string" } }, {}, "must be a list of strings"],
    [{ enum: ["a", "b", "c"] }, "d", 'must be "a", "b" or "c"'],
    [{ const: true }, false, "must be true"],
    [{ anyOf: [{ type: "string" }, { enum: [false] }] }, true, "must be a string or false"],
    [{ type: "string", minLength: 1 }, "", "must not be empty"],
    [{ type: "string", pattern: withoutNul }, "a\0", "must not contain a NUL character"],
    [{ type: "string", pattern: "^/" }, "a", "must match the pattern ^/"],
    [{ type: "integer", minimum: 400 }, 399, "must be at least 400"],
    [{ type: "array", minItems: 1 }, [], "must not be an empty list"],
  ])("the schema %j refuses %j with a message", (schema, value, message) => {
    expect(violationsOf(schema, value).map((violation) => violation.message)).toEqual([message]);
  });

  it("the hint of a violation is the description of the nearest schema", () => {
    const schema = {
      properties: { size: { $ref: "#/definitions/size", description: "The size of a page." } },
      definitions: { size: { type: "integer", description: "A size." } },
    };
    expect(violationsOf(schema, { size: 1.5 })).toEqual([
      {
        path: ["size"],
        kind: "value",
        message: "must be a whole number",
        hint: "It specifies the size of a page",
      },
    ]);
  });
});
