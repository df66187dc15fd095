import fc, { arbitrary } from "../../support/properties.js";
import { changed } from "../../support/random/json.js";
import type { Random } from "../../support/random/random.js";
import { Values } from "../../support/random/values.js";
import { describe, expect, it } from "vitest";
import * as mappings from "../../../generated/0.3.0/protojson.js";
import * as models from "../../../generated/0.3.0/validators.js";
import * as validators from "../../../generated/1.0/validators.js";
import type { ValueType, WireMessageDef } from "../../../generator/protocol/model/types.js";
import type { Mapping } from "../../../library/runtime/protobuf/mapping.js";
import { readVersion } from "../fidelity/versions.js";
import { readSource } from "../../unit/generator/input/proto/reading.js";
import { findSource } from "../../support/output.js";
import { openApiOf, openRpcOf, SchemaChecker } from "./documents.js";

/** The check of a type among the exports of a module. */
function checkOf(module: Readonly<Record<string, unknown>>, type: string) {
  const found = module[`is${type}`];
  if (typeof found !== "function") throw new Error(`The output does not export is${type}`);
  return found as (value: unknown) => unknown;
}

describe("the schemas in the documents of 1.0", async () => {
  const protocol = readSource(findSource("1.0"));
  const values = new Values(protocol);
  const http = new SchemaChecker(await openApiOf("1.0"));
  const jsonRpc = new SchemaChecker(await openRpcOf("1.0"));
  const counts = { valid: 0, invalid: 0 };

  it.each(protocol.types.map(({ name }) => name))(
    "the schemas accept and refuse the same values as the validator of %s",
    (name) => {
      const is = checkOf(validators, name);
      const property = fc.property(
        arbitrary((random) => {
          const value = values.of(name, random);
          return random.oneIn(2) ? value : changed(value, random);
        }),
        (value) => {
          const expected = is(value);
          counts[expected === true ? "valid" : "invalid"] += 1;
          expect([http.fits(name, value), jsonRpc.fits(name, value)]).toEqual([expected, expected]);
        },
      );
      fc.assert(property, { numRuns: 80 });
    },
  );

  it("the comparison covered many valid and many invalid values", () => {
    expect(counts.valid).toBeGreaterThan(1000);
    expect(counts.invalid).toBeGreaterThan(500);
  });
});

describe("the schemas of ProtoJSON in the document of 0.3.0", async () => {
  const { messages, values } = readVersion(findSource("0.3.0"));
  const document = await openApiOf("0.3.0");
  const http = new SchemaChecker(document);
  const described = messages.filter(({ name }) =>
    Object.hasOwn(document.components.schemas, `Proto${name}`),
  );
  const counts = { valid: 0, invalid: 0 };

  const mappingOf = (name: string) => {
    const found = Object.entries(mappings).find(([key]) => key === `${name}Json`);
    if (found === undefined) throw new Error(`Missing: ${name}Json`);
    return found[1] as Mapping;
  };
  const written = (name: string, model: ValueType, random: Random): unknown =>
    JSON.parse(JSON.stringify(mappings.toProtoJson(mappingOf(name), values.of(model, random))));

  it("each message in a body has a schema of ProtoJSON", () => {
    expect(described.length).toBeGreaterThan(30);
  });

  it.each(described)("the schema of $name accepts what servers write", ({ name, model }) => {
    const property = fc.property(
      arbitrary((random) => written(name, model, random)),
      (json) => {
        expect(http.fits(`Proto${name}`, json), JSON.stringify(json)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it.each(described)("the schema of $name refuses what servers cannot read", (message) => {
    const { name, model } = message;
    const property = fc.property(
      arbitrary((random) => changed(written(name, model, random), random)),
      (json) => {
        const fits = http.fits(`Proto${name}`, json);
        counts[fits ? "valid" : "invalid"] += 1;
        if (fits) expect(isRead(message, json), JSON.stringify(json)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it("the comparison covered many valid and many invalid values", () => {
    expect(counts.valid).toBeGreaterThan(500);
    expect(counts.invalid).toBeGreaterThan(300);
  });

  /** Returns whether a server reads a value. Fields from the path may be missing. */
  function isRead({ name, model, fields }: WireMessageDef, json: unknown) {
    try {
      const value: unknown = mappings.fromProtoJson(mappingOf(name), json);
      const isWhole = "name" in model && fields.every(({ mapping }) => mapping.kind !== "resource");
      return !isWhole || checkOf(models, model.name)(value) === true;
    } catch {
      return false;
    }
  }
});
