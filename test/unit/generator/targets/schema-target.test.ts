import { Ajv } from "ajv";
import prettier from "prettier";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { specRegistry } from "../../../../generator/input/registry.js";
import { findSource, generateFrom, sourceOf, textOf } from "../../../support/output.js";
import { isTried } from "../../../support/size.js";
import { head, readSource } from "../input/proto/reading.js";

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id)
  .filter(isTried);

interface Bundle {
  readonly definitions: Readonly<
    Record<string, { readonly deprecated?: boolean; readonly description?: string }>
  >;
}

async function schemaOf(version: string) {
  return textOf(await generateFrom(findSource(version), { targets: ["schema"] }), "schema.json");
}

describe.each(versions)("schema.json of %s", (version) => {
  it("the file is valid JSON Schema in the layout of the formatter, with a definition for every type and every old name", async () => {
    const text = await schemaOf(version);
    const bundle = JSON.parse(text) as Bundle;
    const ajv = new Ajv({
      strict: false,
      formats: { "date-time": true, int64: true, uint64: true },
    });
    expect(ajv.validateSchema(bundle)).toBe(true);
    ajv.addSchema(bundle, "a2a");
    const { types, legacy } = readSource(findSource(version));
    const old = legacy.flatMap((name) => (name.kind === "types" ? [name.old] : []));
    expect(Object.keys(bundle.definitions)).toEqual([...types.map(({ name }) => name), ...old]);
    for (const name of Object.keys(bundle.definitions))
      expect(ajv.getSchema(`a2a#/definitions/${name}`), name).toBeTypeOf("function");
    expect(await prettier.format(text, { parser: "json", printWidth: 100 })).toBe(text);
  });
});

it("schema.json marks old names as deprecated and gives the current names", async () => {
  const { definitions } = JSON.parse(await schemaOf("1.0")) as Bundle;
  expect(definitions["MessageSendParams"]).toEqual({
    description:
      "Old name of `SendMessageRequest`: nothing here refers to it.\n\nSince 0.4.0: SendMessageRequest.",
    deprecated: true,
    allOf: [{ $ref: "#/definitions/SendMessageRequest" }],
  });
});

it("schema.json is only written on request", async () => {
  const source = sourceOf(`${head}message A {}`);
  expect((await generateFrom(source)).files.map(({ path }) => path)).not.toContain("schema.json");
});
