import metaSchema from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import prettier from "prettier";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { readSource } from "../../unit/generator/input/proto/reading.js";
import { isTried } from "../../support/size.js";
import { findSource, generateFrom, sourceOf } from "../../support/output.js";
import {
  documentText,
  lookUp,
  referencesIn,
  SchemaChecker,
  type OpenRpcDocument,
} from "./documents.js";

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id)
  .filter(isTried);

// OpenRPC defines schemas by a URL, which is draft-07 here.
const schemaUrl = "https://example.org/schema";
const rules = new Ajv({ strict: false, validateFormats: false }).addSchema({
  $id: schemaUrl,
  allOf: [{ $ref: "http://json-schema.org/draft-07/schema#" }],
  definitions: { JSONSchemaObject: { properties: { $ref: { type: "string" } } } },
});
const local = JSON.stringify(metaSchema).replaceAll(
  /https:\/\/meta\.json-schema\.tools\/?/g,
  schemaUrl,
);
const schema = JSON.parse(local) as Record<string, unknown>;
delete schema["$schema"];
const isOpenRpc = rules.compile(schema);

describe.each(versions)("openrpc.json of %s", (version) => {
  let text: string;
  let document: OpenRpcDocument;
  const { operations, binding, types, legacy } = readSource(findSource(version));
  const carried = operations.filter(({ jsonRpc }) => jsonRpc !== undefined);

  beforeAll(async () => {
    text = await documentText(version, "openrpc");
    document = JSON.parse(text) as OpenRpcDocument;
  });

  it("the file is a valid OpenRPC document", () => {
    expect(isOpenRpc(document), rules.errorsText(isOpenRpc.errors)).toBe(true);
  });

  it("each reference in the document resolves", () => {
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references)
      expect(lookUp(document, reference), reference).toBeTypeOf("object");
  });

  it("the document has a draft-07 schema for every type and every old name", () => {
    const ajv = new Ajv({
      strict: false,
      formats: { "date-time": true, int64: true, uint64: true },
    });
    const checker = new SchemaChecker(document);
    const old = legacy.flatMap((name) => (name.kind === "types" ? [name.old] : []));
    expect(Object.keys(document.components.schemas)).toEqual([
      ...types.map(({ name }) => name),
      ...old,
    ]);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`).toBe(true);
      expect(() => checker.fits(name, {}), name).not.toThrow();
    }
  });

  it("the document has a method for every operation", () => {
    expect(document.methods.map(({ name }) => name)).toEqual(carried.map(({ jsonRpc }) => jsonRpc));
  });

  it("the document marks methods that stream", () => {
    const streams = operations
      .filter(({ streaming }) => streaming !== "none")
      .map(({ jsonRpc }) => jsonRpc);
    const marked = document.methods.filter(
      (method) => method["x-streaming"] === true && method.deprecated !== true,
    );
    expect(marked.map(({ name }) => name)).toEqual(streams);
    for (const { description } of marked) expect(description).toContain("stream");
  });

  it("each method of the document lists every error with a code", () => {
    const coded = binding?.errors.filter(({ jsonRpc }) => jsonRpc !== undefined) ?? [];
    const { errors = {} } = document.components;
    expect(Object.entries(errors).map(([name, { code }]) => [name, code])).toEqual(
      coded.map(({ name, jsonRpc }) => [name, jsonRpc]),
    );
    for (const method of document.methods)
      expect(method.errors).toEqual(
        coded.map(({ name }) => ({ $ref: `#/components/errors/${name}` })),
      );
  });

  it("the document has the layout of the formatter", async () => {
    expect(await prettier.format(text, { parser: "json", printWidth: 100 })).toBe(text);
  });
});

describe("the target openrpc", () => {
  it("openrpc.json is omitted for a proto without a manifest, because the method names are unknown", async () => {
    const source = sourceOf('syntax = "proto3";\npackage p;\nmessage A {}');
    const { files, omissions } = await generateFrom(source, { targets: ["openrpc"] });
    expect(files).toEqual([]);
    expect(omissions).toMatchObject([{ target: "openrpc", subject: "everything" }]);
  });

  it("the omissions name operations without a method", async () => {
    const { omissions } = await generateFrom(findSource("0.2.6"), { targets: ["openrpc"] });
    expect(omissions).toMatchObject([
      { target: "openrpc", subject: "a2a.v1.A2AService.GetAgentCard" },
    ]);
  });
});
