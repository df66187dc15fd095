import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAssets } from "../../generator/assets.js";
import { schemaOf } from "../../generator/protocol/json-schema.js";
import { readProtocol } from "../../generator/read-protocol.js";
import { definitionsOf, documents, mutated } from "../support/documents.js";
import { emitValidators, oracleOf, schemaSource, type Validators } from "./emitted.js";
import { keywordDefinitions } from "./keywords.js";

const schema: Record<string, unknown> = { definitions: keywordDefinitions };
const oracle = oracleOf(schema, { ownProperties: true });
const names = Object.keys(keywordDefinitions);
const { types } = readProtocol(schemaSource(keywordDefinitions), loadAssets().manifestSchema);
const derived = oracleOf(
  { definitions: Object.fromEntries(types.map((type) => [type.name, schemaOf(type)])) },
  { ownProperties: true },
);
const anyDocument = fc.constantFrom(...names).chain((name) => documents(definitionsOf(schema), name));

/** Text and keys that Ajv's search for duplicates mistakes for members that every object has. */
const inherited = /"(?:__proto__|constructor|toString|valueOf)"/;

describe("validators of a schema", () => {
  let emitted: (type: string) => Validators;
  beforeAll(async () => {
    emitted = await emitValidators("keywords", schemaSource(keywordDefinitions));
  });

  it.each(names)("agree with Ajv about %s", (name) => {
    const isValid = oracle(name);
    const isValidAsDerived = derived(name);
    const { is, validate, parse } = emitted(name);
    const document = documents(definitionsOf(schema), name);
    const isAboutDuplicates = ["Texts", "Distinct"].includes(name);
    const seen = new Set<boolean>();
    const property = fc.property(fc.oneof(document, mutated(document), anyDocument), (value) => {
      fc.pre(!(isAboutDuplicates && inherited.test(JSON.stringify(value))));
      const expected = isValid(value);
      seen.add(expected);
      expect(is(value)).toBe(expected);
      expect(validate(value).issues === undefined).toBe(expected);
      expect(isValidAsDerived(value)).toBe(expected);
      if (expected) expect(isValid(parse(value))).toBe(true);
    });
    fc.assert(property, { numRuns: 400 });
    expect(seen.has(true)).toBe(true);
  });
});
