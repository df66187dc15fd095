import { join } from "node:path";
import { Ajv } from "ajv";
import * as fc from "fast-check";
import { format, resolveConfig } from "prettier";
import { describe, expect, it } from "vitest";
import { configSchema, configShape, problemsOf } from "../../../generator/project/config-schema.js";
import { packageFolder } from "../../../support/package-folder.js";

const strings = fc.constantFrom("1.0", "src/a2a", "", "a\0b", "all", "js", "none", "Zürich\n");
const scalars = fc.oneof(strings, fc.boolean(), fc.constantFrom(null, 0, 1.5));
const keys = fc.constantFrom(...Object.keys(configShape.properties), "unknown", "__proto__", "toString");
const entries = fc.dictionary(fc.constantFrom("spec", "schema", "manifest", "agent", "out"), scalars, { maxKeys: 3 });
const values = fc.oneof(scalars, entries, fc.array(fc.oneof(strings, scalars, entries), { maxLength: 3 }));
const configurations = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(keys, values, { maxKeys: 4 }) },
  { weight: 1, arbitrary: values },
);

describe("the JSON Schema of configurations", () => {
  const accepts = new Ajv({ strict: false }).compile(configSchema());

  it("the schema accepts exactly the configurations that the check accepts", () => {
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(configurations, (value) => {
        const isRight = problemsOf(value, configShape).length === 0;
        seen[isRight ? "right" : "wrong"] += 1;
        expect(accepts(value)).toBe(isRight);
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(100);
  });

  it("the schema equals the file of the package, which `npx vitest run test/unit/project -u` writes", async () => {
    const path = join(packageFolder, "config.schema.json");
    const options = await resolveConfig(path);
    const text = await format(JSON.stringify(configSchema()), { ...options, parser: "json" });
    await expect(text).toMatchFileSnapshot(path);
  });
});
