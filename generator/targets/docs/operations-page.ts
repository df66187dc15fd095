import { streamsResponses } from "../../protocol/model/streaming.js";
import type { OperationDef, Protocol, TypeRef } from "../../protocol/model/types.js";
import { conditionsOf } from "../documents/words.js";
import { blocks, code, inline, prose, type Anchors } from "./markdown.js";

/**
 * Returns the lines of the page with all operations. `types` contains the anchors of the page with
 * the types.
 */
export function operationsPage({ title, operations }: Protocol, types: Anchors): string[] {
  return blocks(
    [`# Operations of ${inline(title)}`],
    ...operations.map((operation) => sectionOf(operation, types)),
  );
}

function sectionOf(operation: OperationDef, types: Anchors): string[] {
  const { name, docs, deprecated } = operation;
  const conditions = [...conditionsOf(operation), ...lookupsOf(operation)].map(
    (condition) => `- ${condition}`,
  );
  return blocks(
    [`## ${name}`],
    deprecated ? ["**Deprecated.**"] : [],
    prose(docs),
    callLines(operation, types),
    conditions.length === 0 ? [] : ["Conditions:"],
    conditions,
  );
}

function callLines(operation: OperationDef, types: Anchors): string[] {
  const { method, request, response, streaming, jsonRpc, http, rpc } = operation;
  const nameOf = (type: TypeRef): string =>
    type.kind === "named" ? types.link(type.name, "types.md") : "nothing";
  const requestStream = streaming === "client" || streaming === "both" ? "a stream of " : "";
  const routes = http.map(({ httpMethod, path }) => code(`${httpMethod} ${path}`));
  return [
    `- TypeScript: ${code(method)}`,
    `- Request: ${requestStream}${nameOf(request)}`,
    `- Response: ${streamsResponses(operation) ? "a stream of " : ""}${nameOf(response)}`,
    ...(jsonRpc === undefined ? [] : [`- JSON-RPC: ${code(jsonRpc)}`]),
    ...(routes.length === 0 ? [] : [`- HTTP+JSON: ${routes.join(", ")}`]),
    ...(rpc === undefined ? [] : [`- gRPC: ${code(`${rpc.service}/${rpc.method}`)}`]),
  ];
}

/**
 * Returns the errors for unknown ids in the request, unless the operation itself describes when it
 * responds with the error.
 */
function lookupsOf({ lookups = [], errors = [] }: OperationDef): string[] {
  const others = lookups.filter(({ error }) => !errors.some((listed) => listed.error === error));
  return others.map(
    ({ path, error }) => `The response is \`${error}\` if \`${path.join(".")}\` is unknown.`,
  );
}
