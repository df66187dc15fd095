import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAssets, packageFolder } from "../../generator/assets.js";
import { documentTypes } from "../../generator/document/schema.js";
import { schemaOf } from "../../generator/protocol/json-schema.js";
import { readProtocol } from "../../generator/read-protocol.js";
import { check, type Type } from "../../templates/runtime/schema.js";
import { definitionsOf, documents, mutated } from "../support/documents.js";
import { findSource } from "../support/output.js";
import { emitValidators, oracleOf, type Validators } from "./emitted.js";

const versions = readdirSync(join(packageFolder, "spec")).filter((version) =>
  existsSync(join(packageFolder, "spec", version, "a2a.json")),
);

const { manifestSchema } = loadAssets();

it("there are schemas to compare with", () => {
  expect(versions.length).toBeGreaterThan(3);
});

describe.each(versions)("the validators of %s", (version) => {
  const source = findSource(version);
  const schema = JSON.parse(source.schema?.text ?? "{}") as Record<string, unknown>;
  const definitions = definitionsOf(schema);
  const oracle = oracleOf(schema);
  const protocol = readProtocol(source, manifestSchema);
  const types: ReadonlyMap<string, Type<unknown>> = documentTypes(protocol);
  const names = Object.keys(definitions);
  let emitted: (type: string) => Validators;

  beforeAll(async () => {
    emitted = await emitValidators(`oracle-${version}`, source);
  });

  /** The name in TypeScript of a definition. */
  const nameOf = (definition: string): string => {
    const name = protocol.types.find(({ fullName }) => fullName === definition)?.name;
    if (name === undefined) throw new Error(`There is no type for ${definition}`);
    return name;
  };

  const derived = oracleOf({
    definitions: Object.fromEntries(protocol.types.map((type) => [type.name, schemaOf(type)])),
  });

  const counts = { valid: 0, invalid: 0 };

  it.each(names)("agree with Ajv about %s", (definition) => {
    const isValid = oracle(definition);
    const isValidAsDerived = derived(nameOf(definition));
    const { is, validate, parse } = emitted(nameOf(definition));
    const type = types.get(nameOf(definition));
    if (type === undefined) throw new Error(`There is no type for ${definition}`);
    const document = documents(definitions, definition);
    const property = fc.property(fc.oneof(document, mutated(document)), (value) => {
      const expected = isValid(value);
      counts[expected ? "valid" : "invalid"] += 1;
      expect(is(value)).toBe(expected);
      expect(validate(value).issues === undefined).toBe(expected);
      expect(check(type, value, "strict").issues === undefined).toBe(expected);
      expect(isValidAsDerived(value)).toBe(expected);
      if (expected) expect(isValid(parse(value))).toBe(true);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("were asked about thousands of documents of either kind", () => {
    expect(counts.valid).toBeGreaterThan(1000);
    expect(counts.invalid).toBeGreaterThan(1000);
  });
});
