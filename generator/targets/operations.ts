import type { BindingDef, HttpRouteDef, MessageRef, OperationDef, Protocol } from "../protocol/types.js";
import { Imports } from "./imports.js";
import { docOf, enclose, lineWidth, quote, type DocView } from "./text.js";
import type { Target } from "./types.js";

/** The operation table, and the facts of the protocol that are not about one operation. */
export const operations: Target = {
  name: "operations",
  summary: "the operation table with every binding (operations.ts)",
  needs: ["validators", "errors"],
  plan: (protocol) => {
    const imports = new Imports();
    imports.type("runtime/operation", "Operation");
    const path = "operations.ts";
    const views = protocol.operations.map((operation) => operationView(operation, imports));
    const facts = protocol.binding !== undefined && factsView(protocol.binding, imports);
    const view = { imports: imports.statements(path), operations: views, facts, all: allView(protocol) };
    return {
      files: [{ path, template: "operations/operations", view, runtime: imports.runtime() }],
      exports: [],
      omissions: [],
    };
  },
};

interface OperationView {
  readonly docs: DocView;
  readonly head: readonly string[];
  readonly lines: readonly string[];
}

function operationView(operation: OperationDef, imports: Imports): OperationView {
  const request = schemaRef(operation.request, imports);
  const response = schemaRef(operation.response, imports);
  const errorOf = (name: string): string => imports.value("errors", name);
  return {
    docs: docOf(operation.docs, 0, operation.deprecated ? ["@deprecated"] : []),
    head: enclose(`export const ${operation.method}: Operation<`, [request.type, response.type], "> = {", {
      lastComma: "",
    }),
    lines: [
      `name: ${quote(operation.name)},`,
      `method: ${quote(operation.method)},`,
      `streaming: ${quote(operation.streaming)},`,
      `request: ${request.schema},`,
      `response: ${response.schema},`,
      ...(operation.jsonRpc === undefined ? [] : [`jsonRpc: ${quote(operation.jsonRpc)},`]),
      ...routeLines(operation.http),
      `grpc: ${quote(`/${operation.service}/${operation.name}`)},`,
      ...(operation.requires === undefined
        ? []
        : [
            `requires: { capability: ${names(operation.requires.capability)}, error: ${errorOf(operation.requires.error)} },`,
          ]),
      ...(operation.missing === undefined ? [] : [`missing: ${errorOf(operation.missing)},`]),
    ],
  };
}

function schemaRef(ref: MessageRef, imports: Imports): { type: string; schema: string } {
  if (ref.kind === "empty") {
    return { type: imports.type("runtime/message", "Empty"), schema: imports.value("runtime/message", "EmptySchema") };
  }
  return { type: imports.type("models", ref.name), schema: imports.value("validators", `${ref.name}Schema`) };
}

function routeLines(routes: readonly HttpRouteDef[]): string[] {
  if (routes.length === 0) return [];
  const lines = routes.map(({ verb, path, body, responseBody, use }) => {
    const parts = { verb, path, body, responseBody, use };
    const members = Object.entries(parts).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}: ${quote(value)}`],
    );
    return `{ ${members.join(", ")} }`;
  });
  const line = `http: [${lines.join(", ")}],`;
  if (lines.length === 1 && line.length + 2 <= lineWidth) return [line];
  return ["http: [", ...lines.map((text) => `  ${text},`), "],"];
}

/** The list of all operations, on one line where it fits. */
function allView({ operations: all }: Protocol): { lines: readonly string[] } {
  return {
    lines: enclose(
      "export const operations: readonly Operation[] = [",
      all.map(({ method }) => method),
      "];",
    ),
  };
}

function factsView(binding: BindingDef, imports: Imports): { lines: readonly string[] } {
  imports.type("runtime/operation", "ProtocolFacts");
  const { headers, mediaTypes, card, bindings } = binding;
  return {
    lines: [
      `version: ${quote(binding.wireVersion)},`,
      `assumedVersion: ${quote(binding.assumedVersion)},`,
      `headers: ${literal(headers)},`,
      ...(binding.tenant === undefined ? [] : [`tenant: ${quote(binding.tenant)},`]),
      `mediaTypes: { http: ${quote(mediaTypes.http)}, accept: ${names(mediaTypes.accept)} },`,
      "card: {",
      `  path: ${quote(card.path)},`,
      ...wrapped("interfaces", card.interfaces),
      `  extensions: { list: ${names(card.extensions.list)}, uri: ${quote(card.extensions.uri)}, required: ${quote(card.extensions.required)} },`,
      "},",
      `bindings: ${literal(bindings)},`,
    ],
  };
}

/** A member of an object literal that may be too long for its line. */
function wrapped(key: string, value: object): string[] {
  const line = `  ${key}: ${literal(value)},`;
  if (line.length + 2 <= lineWidth) return [line];
  return [
    `  ${key}: {`,
    ...Object.entries(value).map(([name, text]) => `    ${name}: ${quote(String(text))},`),
    "  },",
  ];
}

function literal(value: object): string {
  return `{ ${Object.entries(value)
    .map(([key, text]) => `${key}: ${quote(String(text))}`)
    .join(", ")} }`;
}

function names(list: readonly string[]): string {
  return `[${list.map(quote).join(", ")}]`;
}
