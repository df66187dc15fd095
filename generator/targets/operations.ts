import type { BindingDef, HttpRouteDef, MessageRef, OperationDef, Protocol } from "../protocol/types.js";
import { Imports } from "./imports.js";
import { docOf, declareObject, enclose, encloseObject, lineWidth, quote, type DocView } from "./text.js";
import { emptyPlan, type Target } from "./types.js";

/** The operation table, and the facts of the protocol that are not about one operation. */
export const operations: Target = {
  name: "operations",
  summary: "the operation table with every binding (operations.ts)",
  needs: ["validators", "errors"],
  plan: (protocol) => {
    const imports = new Imports();
    imports.type("runtime/operation", "Operation");
    const views = protocol.operations.map((operation) => operationView(operation, imports));
    const facts = protocol.binding !== undefined && factsView(protocol.binding, imports);
    const view = { operations: views, facts, all: allView(protocol) };
    return { ...emptyPlan, files: [imports.plan("operations.ts", "operations/operations", view)] };
  },
};

interface OperationView {
  readonly docs: DocView;
  readonly lines: readonly string[];
}

function operationView(operation: OperationDef, imports: Imports): OperationView {
  const request = schemaRef(operation.request, imports);
  const response = schemaRef(operation.response, imports);
  const errorOf = (name: string): string => imports.value("errors", name);
  return {
    docs: docOf(operation.docs, 0, operation.deprecated ? ["@deprecated"] : []),
    lines: declareObject(
      `export const ${operation.method}: Operation`,
      [request.type, response.type],
      [
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
    ),
  };
}

/** The type of what goes in or out, and its schema; with `type` the schema is not imported. */
export function schemaRef(
  ref: MessageRef,
  imports: Imports,
  use: "value" | "type" = "value",
): { type: string; schema: string } {
  const [type, module, schema] =
    ref.kind === "empty"
      ? [imports.type("runtime/message", "Empty"), "runtime/message", "EmptySchema"]
      : [imports.type("models", ref.name), "validators", `${ref.name}Schema`];
  if (use === "value") imports.value(module, schema);
  return { type, schema };
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
      "] as const;",
    ),
  };
}

function factsView(binding: BindingDef, imports: Imports) {
  imports.type("runtime/operation", "ProtocolFacts");
  imports.type("runtime/operation", "DiscoveryFacts");
  const { headers, mediaTypes, card, bindings } = binding;
  const tenant = binding.tenant === undefined ? [] : [`tenant: ${quote(binding.tenant)},`];
  return {
    protocol: [
      `version: ${quote(binding.wireVersion)},`,
      `assumedVersion: ${quote(binding.assumedVersion)},`,
      ...object("headers: ", headers),
      ...tenant,
      `mediaTypes: { http: ${quote(mediaTypes.http)}, accept: ${names(mediaTypes.accept)} },`,
      ...object("bindings: ", bindings),
    ],
    discovery: [`path: ${quote(card.path)},`, ...object("interfaces: ", card.interfaces), ...extensionsOf(card)],
  };
}

function extensionsOf({ extensions: { list, uri, required } }: BindingDef["card"]): string[] {
  const members = [`list: ${names(list)}`, `uri: ${quote(uri)}`, `required: ${quote(required)}`];
  return encloseObject("extensions: ", members, ",", 2);
}

/** A member that is an object of texts. */
function object(head: string, value: object): string[] {
  const members = Object.entries(value).map(([key, text]) => `${key}: ${quote(String(text))}`);
  return encloseObject(head, members, ",", 2);
}

function names(list: readonly string[]): string {
  return `[${list.map(quote).join(", ")}]`;
}
