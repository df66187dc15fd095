import { literalMembers } from "../../emit/expressions.js";
import { Imports } from "../../emit/imports.js";
import { output } from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";
import { runtime } from "../../emit/runtime-modules.js";
import { braced, print, type Layout } from "../../emit/layout.js";
import { streamsResponses } from "../../protocol/model/streaming.js";
import type { OperationDef, Protocol } from "../../protocol/model/types.js";
import { trueIfAbsent } from "../operations/non-empty.js";
import { routesOf } from "../operations/operations.js";

/**
 * Plans the facts about operations for a client over HTTP+JSON. They are separate from the
 * operation table, whose schemas a client loads later.
 */
export function routesFile(protocol: Protocol): FilePlan {
  const imports = new Imports("client/routes.ts", [output.routes]);
  imports.use(runtime.RestOperation);
  return imports.plan("client/routes", {
    routes: protocol.operations
      .filter(({ http }) => http.length > 0)
      .map((operation) => {
        const paths = trueIfAbsent(operation, protocol);
        const maps = mapsInQuery(operation, protocol);
        const members = [
          ...literalMembers({ name: operation.name }),
          ...routesOf(operation.http),
          ...literalMembers({ trueIfAbsent: paths.length > 0 && paths }),
          ...eventMembers(operation, protocol),
          ...literalMembers({ maps: maps.length > 0 && maps }),
        ];
        return print(braced("", members, ","), 2);
      }),
  });
}

/** Returns the members with which a client recognizes the events of a stream. */
function eventMembers(operation: OperationDef, { types }: Protocol): Layout[] {
  const { response } = operation;
  if (!streamsResponses(operation) || response.kind !== "named") return [];
  const type = types.find(({ name }) => name === response.name);
  if (type?.kind !== "message") return [];
  const isRequired =
    type.fields.some(({ presence }) => presence === "required") ||
    type.oneofs.some(({ required }) => required);
  return literalMembers({ members: type.fields.map(({ name }) => name), mayBeEmpty: !isRequired });
}

/** Returns the paths of the maps in a request that a route may send in its query. */
function mapsInQuery({ http, request }: OperationDef, protocol: Protocol): string[] {
  const hasQuery = http.some(({ body }) => body !== "*");
  return hasQuery && request.kind === "named" ? mapsIn(request.name, protocol, []) : [];
}

/** Returns the paths of the maps in a message, without messages that contain themselves. */
function mapsIn(name: string, protocol: Protocol, outer: readonly string[]): string[] {
  const type = protocol.types.find((candidate) => candidate.name === name);
  if (type?.kind !== "message" || outer.includes(name)) return [];
  return type.fields.flatMap(({ name: field, type: inner }) => {
    if (inner.kind === "map") return [field];
    if (inner.kind !== "message") return [];
    return mapsIn(inner.name, protocol, [...outer, name]).map((path) => `${field}.${path}`);
  });
}
