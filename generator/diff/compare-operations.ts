import type { BindingDef, ErrorDef, HttpRouteDef, OperationDef, Protocol, TypeRef } from "../protocol/types.js";
import type { Renames } from "./renames.js";
import type { Change, Surface } from "./types.js";

/** Compares operations by their methods in TypeScript, with their names on each transport. */
export function compareOperations(from: Protocol, to: Protocol, renames: Renames): Change[] {
  const after = new Map(to.operations.map((operation) => [operation.method, operation]));
  const changes = from.operations.flatMap((operation): Change[] => {
    const found = after.get(operation.method);
    const reason = "the operation is gone";
    const breaks = { source: reason, json: reason, ...(operation.rpc && { protobuf: reason }) };
    if (found === undefined) return [{ subject: "operation", action: "removed", name: operation.method, breaks }];
    return compareOperation(operation, found, renames);
  });
  const known = new Set(from.operations.map(({ method }) => method));
  const added = to.operations.filter(({ method }) => !known.has(method));
  return [
    ...changes,
    ...added.map(({ method }): Change => ({ subject: "operation", action: "added", name: method, breaks: {} })),
  ];
}

function compareOperation(from: OperationDef, to: OperationDef, renames: Renames): Change[] {
  const { method: name } = from;
  const reason = "callers and services name another type";
  return [
    ...changed("operation", `${name} request`, refOf(from.request, renames.rename), refOf(to.request), {
      source: reason,
      json: reason,
    }),
    ...changed("operation", `${name} response`, refOf(from.response, renames.rename), refOf(to.response), {
      source: reason,
      json: reason,
    }),
    ...changed("operation", `${name} streaming`, from.streaming, to.streaming, {
      source: "it is called in another way",
      json: "it answers in another way",
      protobuf: "it is called in another way",
    }),
    ...changed("method", name, from.jsonRpc, to.jsonRpc, { json: "JSON-RPC does not know the old name" }),
    ...changed("operation", `${name} rpc`, rpcOf(from), rpcOf(to), { protobuf: "gRPC does not know the old path" }),
    ...compareRoutes(name, from.http, to.http),
  ];
}

function refOf(ref: TypeRef, rename = (name: string): string => name): string {
  return ref.kind === "named" ? rename(ref.name) : "nothing";
}

function rpcOf({ rpc, name }: OperationDef): string | undefined {
  return rpc === undefined ? undefined : `/${rpc.service}/${name}`;
}

function compareRoutes(name: string, from: readonly HttpRouteDef[], to: readonly HttpRouteDef[]): Change[] {
  const textOf = ({ verb, path, body }: HttpRouteDef): string =>
    `${verb} ${path}${body === undefined || body === "*" ? "" : ` with ${body}`}`;
  // The name of a variable does not show on the wire.
  const shapeOf = (route: HttpRouteDef): string =>
    textOf(route).replaceAll(/\{[^{}=]+(?:=([^{}]*))?\}/g, (_, pattern: string | undefined) => pattern ?? "*");
  const [before, now] = [from, to].map((routes) => new Set(routes.map(shapeOf)));
  const gone = from.filter((route) => now?.has(shapeOf(route)) === false);
  const added = to.filter((route) => before?.has(shapeOf(route)) === false);
  const breaks = { json: "requests to the route are not understood" };
  return [
    ...gone.map((route): Change => ({ subject: "route", action: "removed", name, from: textOf(route), breaks })),
    ...added.map((route): Change => ({ subject: "route", action: "added", name, to: textOf(route), breaks: {} })),
  ];
}

/** Compares errors by their classes. */
export function compareErrors(from: Protocol, to: Protocol, renames: Renames): Change[] {
  const after = new Map((to.binding?.errors ?? []).map((error) => [error.name, error]));
  const met = new Set<string>();
  const changes = (from.binding?.errors ?? []).flatMap((error): Change[] => {
    const name = after.has(error.name) ? error.name : renames.known("errors", error.name);
    const found = name === undefined ? undefined : after.get(name);
    if (found === undefined)
      return [{ subject: "error", action: "removed", name: error.name, breaks: { source: "the class is gone" } }];
    met.add(found.name);
    const renamed: Change[] =
      found.name === error.name
        ? []
        : [{ subject: "error", action: "renamed", name: error.name, to: found.name, breaks: {} }];
    return [...renamed, ...compareError(error, found)];
  });
  const added = [...after.keys()].filter((name) => !met.has(name));
  return [...changes, ...added.map((name): Change => ({ subject: "error", action: "added", name, breaks: {} }))];
}

function compareError(from: ErrorDef, to: ErrorDef): Change[] {
  const { name } = from;
  const reason = "clients that go by it see another error";
  return [
    ...changed("error", `${name} on JSON-RPC`, from.jsonRpc, to.jsonRpc, { json: reason }),
    ...changed("error", `${name} on HTTP+JSON`, from.http, to.http, { json: reason }),
    ...changed("error", `${name} on gRPC`, from.grpc, to.grpc, { protobuf: reason }),
    ...changed("error", `${name} reason`, from.reason, to.reason, { json: reason, protobuf: reason }),
  ];
}

/** Compares what a version says beyond its types and operations. */
export function compareFacts(from: Protocol, to: Protocol): Change[] {
  const [before, now] = [factsOf(from.binding), factsOf(to.binding)];
  const names = [...new Set([...before.keys(), ...now.keys()])];
  const packages = changed("fact", "proto package", from.wire?.package, to.wire?.package, {
    protobuf: "the names of messages and services have changed",
  });
  const facts = names.flatMap((name) => {
    const reason = "peers that go by the old one are not understood";
    const surface: Surface = name.startsWith("name of gRPC") ? "protobuf" : "json";
    return changed("fact", name, before.get(name), now.get(name), { [surface]: reason });
  });
  return [...packages, ...facts];
}

function factsOf(binding: BindingDef | undefined): ReadonlyMap<string, string> {
  if (binding === undefined) return new Map();
  const { card, headers, mediaTypes, bindings, tenant = "none", errorFormat, streamErrors, wireVersion } = binding;
  return new Map([
    ["version on the wire", wireVersion],
    ["path of the agent card", card.path],
    ["interfaces of the agent card", JSON.stringify(card.interfaces)],
    ["header of the version", headers.version],
    ["header of the extensions", headers.extensions],
    ["media type of HTTP+JSON", mediaTypes.http],
    ["name of JSON-RPC in cards", bindings.jsonRpc],
    ["name of HTTP+JSON in cards", bindings.http],
    ["name of gRPC in cards", bindings.grpc],
    ["field of the tenant", tenant],
    ["format of errors", errorFormat],
    ["errors of streams before the first event", streamErrors],
  ]);
}

function changed(
  subject: Change["subject"],
  name: string,
  from: string | number | undefined,
  to: string | number | undefined,
  breaks: Change["breaks"],
): Change[] {
  if (from === to) return [];
  const [before, now] = [from, to].map((value) => (value === undefined ? undefined : String(value)));
  const isNew = from === undefined;
  return [
    {
      subject,
      action: isNew ? "added" : to === undefined ? "removed" : "changed",
      name,
      ...(before !== undefined && { from: before }),
      ...(now !== undefined && { to: now }),
      breaks: isNew ? {} : breaks,
    },
  ];
}
