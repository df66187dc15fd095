import { Ajv } from "ajv";
import fc from "../../../../support/properties.js";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../../../support/diagnostics.js";
import { fits } from "./schema-fits.js";
import { read } from "./schema-reading.js";
import { sized } from "../../../../support/size.js";

const names = ["A", "B", "C"];
const key = fc.constantFrom("a", "b", "c");
const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");
const scalar = fc.constantFrom("x", "yy", "a", 1, 2, 1.5, 0, true, false, null);
const reference = fc.constantFrom(...names).map((name) => `#/definitions/${name}`);

/** Schemas with up to three keywords at each level. */
const { schema } = fc.letrec<{ schema: unknown; keywords: object }>((tie) => {
  const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const properties = fc.dictionary(key, tie("schema"), { maxKeys: 3, noNullPrototype: true });
  const required = fc.uniqueArray(key, { maxLength: 2 });
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    const: scalar,
    enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }),
    minLength: fc.nat(2),
    maxLength: fc.nat(3),
    pattern: fc.constantFrom("^x", "y", "a$"),
    minimum: fc.nat(2),
    exclusiveMaximum: fc.nat(3),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    items: tie("schema"),
    contains: tie("schema"),
    minItems: fc.nat(2),
    maxItems: fc.nat(3),
    uniqueItems: fc.boolean(),
    properties,
    required,
    additionalProperties: tie("schema"),
    patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), tie("schema"), {
      maxKeys: 1,
      noNullPrototype: true,
    }),
    propertyNames: tie("schema"),
    minProperties: fc.nat(2),
    maxProperties: fc.nat(2),
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: tie("schema"),
    if: tie("schema"),
    then: tie("schema"),
    else: tie("schema"),
    $ref: reference,
  };
  const all = Object.keys(keywords);
  return {
    keywords: fc
      .tuple(fc.record(keywords), fc.shuffledSubarray(all))
      .map(([values, chosen]) =>
        Object.fromEntries(
          Object.entries(values).filter(([name]) => chosen.slice(0, 3).includes(name)),
        ),
      ),
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 3, arbitrary: fc.record({ $ref: reference }) },
      { weight: 3, arbitrary: fc.record({ type }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant("object"), properties, required }) },
      { weight: 8, arbitrary: tie("keywords") },
    ),
  };
});

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "d", "ab"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

const hints = {
  names: { "A.a": "HintedA", "B.b": "HintedB", "C.c": "HintedC", "A.anyOf.0": "HintedMember" },
};

function tryToRead(definitions: object) {
  try {
    return read(definitions, hints);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

const runs = sized(20, 60);

describe("the types of a schema", () => {
  it("the validators accept the same values as Ajv for random schemas", () => {
    let readable = 0;
    const definitions = fc.record({ A: schema, B: schema, C: schema });
    fc.assert(
      fc.property(
        definitions,
        fc.array(value, { minLength: 20, maxLength: 30 }),
        (source, values) => {
          const parts = tryToRead(source);
          if (parts === undefined) return;
          readable++;
          for (const name of names) {
            const isValid = new Ajv({ strict: false, logger: false }).compile({
              definitions: source,
              $ref: `#/definitions/${name}`,
            });
            for (const item of values)
              expect([name, item, fits(parts, name, item)]).toEqual([name, item, isValid(item)]);
          }
        },
      ),
      { numRuns: runs },
    );
    expect(readable).toBeGreaterThan(runs / 3);
  });

  it("the types of random schemas have names that do not end in a digit", () => {
    fc.assert(
      fc.property(fc.record({ A: schema, B: schema, C: schema }), (source) => {
        const found = (tryToRead(source)?.types ?? []).map(({ name }) => name);
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((name) => /\d$/.test(name))).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
});
