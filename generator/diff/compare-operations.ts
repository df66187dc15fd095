import type { OperationDef, Protocol, RpcDef, TypeRef, ValueType } from "../protocol/model/types.js";
import type { Resolve, Side } from "./accepts.js";
import type { Claims } from "./claims.js";
import { compareConstraints } from "./compare-constraints.js";
import { compareRoutes } from "./compare-routes.js";
import { compareValues } from "./compare-values.js";
import type { Rename } from "./forms.js";
import { changed, deprecation, type About, type Breaks, type Change } from "./types.js";

/** The context in which operations are compared: renames, and the types of both versions. */
export interface OperationVersions {
  readonly claims: Claims;
  readonly rename: Rename;
  readonly renameMessage: Rename;
  readonly from: Resolve;
  readonly to: Resolve;
}

/** Compares operations, which match by their methods in TypeScript, with their names on each transport. */
export function compareOperations(from: Protocol, to: Protocol, versions: OperationVersions): Change[] {
  const pairs = from.operations.map((before) => [before, find(before, from, to, versions.claims)] as const);
  const known = new Set(pairs.map(([, now]) => now));
  const added = to.operations.filter((operation) => !known.has(operation));
  return [
    ...pairs.flatMap(([before, now]) =>
      now === undefined ? [removed(before)] : compareOperation(before, now, versions),
    ),
    ...added.map(({ method }): Change => ({ subject: "operation", action: "added", name: method, breaks: {} })),
  ];
}

/** Finds an operation in the other version: by its method, by its new name on JSON-RPC, or by its routes. */
function find(operation: OperationDef, from: Protocol, to: Protocol, claims: Claims): OperationDef | undefined {
  const { method, jsonRpc, http } = operation;
  const same = to.operations.find((other) => other.method === method);
  if (same !== undefined) return same;
  const fresh = to.operations.filter((other) => from.operations.every((one) => one.method !== other.method));
  const names = jsonRpc === undefined ? [] : [jsonRpc, ...claims.targets("methods", jsonRpc)];
  const named = fresh.find((other) => names.includes(other.jsonRpc ?? ""));
  const hasRoutes = (other: OperationDef): boolean =>
    http.length > 0 && compareRoutes("", http, other.http).length === 0;
  return named ?? fresh.find(hasRoutes);
}

function removed({ method: name, jsonRpc, http, rpc }: OperationDef): Change {
  const reason = "the operation is removed";
  const json = jsonRpc === undefined && http.length === 0 ? {} : { json: reason };
  const breaks: Breaks = { source: reason, ...json, ...(rpc && { protobuf: reason }) };
  return { subject: "operation", action: "removed", name, breaks };
}

function compareOperation(from: OperationDef, to: OperationDef, versions: OperationVersions): Change[] {
  const { method: name } = from;
  const about = { subject: "operation", name } as const;
  const renamed: Change = {
    ...about,
    action: "renamed",
    to: to.method,
    breaks: { source: "callers and services use the old name" },
  };
  const called = "it is called differently";
  return [
    ...(from.method === to.method ? [] : [renamed]),
    ...compareRef({ ...about, aspect: "request" }, from, to, "request", versions),
    ...compareRef({ ...about, aspect: "response" }, from, to, "response", versions),
    ...changed({ ...about, aspect: "streaming" }, from.streaming, to.streaming, {
      source: called,
      json: called,
      ...(from.rpc && { protobuf: called }),
    }),
    ...changed({ subject: "method", name }, from.jsonRpc, to.jsonRpc, { json: "the old JSON-RPC method is not found" }),
    ...changed({ ...about, aspect: "rpc" }, rpcOf(from), rpcOf(to), { protobuf: "the old gRPC path is not found" }),
    ...compareRoutes(name, from.http, to.http),
    ...compareConstraints(from, to, versions.to),
    ...deprecation(about, from, to),
  ];
}

function rpcOf({ rpc, name }: OperationDef): string | undefined {
  return rpc === undefined ? undefined : `/${rpc.service}/${name}`;
}

type Part = "request" | "response";

/** Compares a request or response: the type, and the message on gRPC if that is another one. */
function compareRef(
  about: About,
  from: OperationDef,
  to: OperationDef,
  part: Part,
  versions: OperationVersions,
): Change[] {
  const [before, now] = [messageOf(from.rpc, part), messageOf(to.rpc, part)];
  const hasRpc = from.rpc !== undefined && to.rpc !== undefined;
  const isOther = hasRpc && versions.renameMessage(before) !== now;
  const protobuf = "bytes of one message are not valid as the other";
  const types = compareTypes(about, from[part], to[part], versions);
  const [only] = types;
  const isSame = only?.from === before && only.to === now && types.length === 1;
  if (isOther && isSame && only.action === "changed") return [{ ...only, breaks: { ...only.breaks, protobuf } }];
  const message = { ...about, aspect: `${part} on gRPC` };
  return [...types, ...(isOther ? changed(message, before, now, { protobuf }) : [])];
}

function messageOf(rpc: RpcDef | undefined, part: Part): string {
  return rpc?.[part] ?? "nothing";
}

function compareTypes(about: About, from: TypeRef, to: TypeRef, versions: OperationVersions): Change[] {
  const reason = "callers and services use another type";
  const breaks = { source: reason, json: reason };
  if (from.kind === "empty" || to.kind === "empty") {
    const textOf = (ref: TypeRef): string => (ref.kind === "named" ? ref.name : "nothing");
    const isRequest = about.aspect === "request" && from.kind === "empty";
    return changed(about, textOf(from), textOf(to), isRequest ? { source: reason } : breaks);
  }
  const before = sideOf(from.name, versions.from, versions.rename);
  const now = sideOf(to.name, versions.to, (name) => name);
  return compareValues(about, before, now).map((change) => ({
    ...change,
    subject: about.subject,
    ...(change.action === "changed" && change.breaks.json !== undefined && { breaks }),
  }));
}

function sideOf(name: string, resolve: Resolve, rename: Rename): Side {
  const kind = resolve(name)?.kind ?? "message";
  const type: ValueType = { kind, name };
  return { type, resolve, rename };
}
