import { Ajv, type ErrorObject } from "ajv";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { specRegistry } from "../../../generator/api/index.js";
import { parseYaml } from "../../../support/yaml.js";
import { manifestSchema, validateManifest } from "../../../generator/input/manifest/schema.js";
import { pointerOf } from "../../../support/json-pointer.js";
import { isRecord } from "../../../support/values.js";

const ajv = new Ajv({ allErrors: true, strict: false }).compile(manifestSchema());
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
const keys = fc.constantFrom("nope", "a b", "__proto__", "toString", "types", "url", "error");

/** Returns the violations that Ajv finds, each as its kind and the path of the value or key. */
function expected(value: unknown): string[] {
  ajv(value);
  // A key that violates a schema of keys has an error of its own, and an error for each violation of that schema.
  const errors = (ajv.errors ?? []).filter((error) => !("propertyName" in error));
  return errors.map((error) => `${kindOf(error)} ${pathOf(error)}`);
}

function kindOf({ keyword }: ErrorObject): string {
  const kinds = { required: "missing", additionalProperties: "unknown", propertyNames: "name" };
  return Object.entries(kinds).find(([name]) => name === keyword)?.[1] ?? "value";
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const key: unknown = params["missingProperty"] ?? params["additionalProperty"] ?? params["propertyName"];
  return typeof key === "string" ? `${instancePath}${pointerOf([key])}` : instancePath;
}

function found(value: unknown): string[] {
  return validateManifest(value).map(({ kind, path }) => `${kind} ${pointerOf(path)}`);
}

/** Returns a copy of a value in which a random member is replaced, added or removed. */
function changed(value: unknown, steps: readonly number[], key: string | undefined, by: unknown): unknown {
  const [step = 0, ...rest] = steps;
  const names = isRecord(value) || Array.isArray(value) ? Object.keys(value) : [];
  if (steps.length === 0 || names.length === 0) {
    if (key === undefined || !isRecord(value)) return by;
    return Object.fromEntries([...Object.entries(value), [key, by]]);
  }
  const name = names[step % names.length] ?? "";
  const replace = (member: unknown): unknown => changed(member, rest, key, by);
  if (Array.isArray(value)) return value.map((member: unknown, at) => (String(at) === name ? replace(member) : member));
  const entries = Object.entries(value as object).filter(([each]) => each !== name || step % 5 > 0 || rest.length > 0);
  return Object.fromEntries(entries.map(([each, member]) => [each, each === name ? replace(member) : member]));
}

describe("the check of manifests", () => {
  it("the check finds exactly the violations that Ajv finds in manifests with random changes", () => {
    const kinds = new Set<string>();
    const steps = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        fc.constantFrom(...manifests),
        steps,
        fc.option(keys, { nil: undefined }),
        values,
        (base, at, key, by) => {
          const value = changed(base, at, key, by);
          const all = found(value);
          for (const violation of all) kinds.add(violation.split(" ")[0] ?? "");
          expect(new Set(all)).toEqual(new Set(expected(value)));
        },
      ),
      { numRuns: 500 },
    );
    expect([...kinds].toSorted()).toEqual(["missing", "name", "unknown", "value"]);
  });
});
