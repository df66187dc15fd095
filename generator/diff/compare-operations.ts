import type { OperationDef, RpcDef, TypeRef, ValueType } from "../protocol/model/types.js";
import type { Resolve, Side } from "./accepts.js";
import type { Pairing } from "../protocol/versions/pairing.js";
import { compareConstraints } from "./compare-constraints.js";
import { compareRoutes } from "./compare-routes.js";
import { compareValues } from "./compare-values.js";
import type { Rename } from "./forms.js";
import { changed, deprecation, type About, type Breaks, type Change } from "./types.js";

/** Context in which operations are compared: renames, and the types of both versions. */
export interface OperationVersions {
  readonly rename: Rename;
  readonly renameMessage: Rename;
  readonly from: Resolve;
  readonly to: Resolve;
}

/** Compares operations, with their names on each transport. */
export function compareOperations(
  matches: Pairing<OperationDef>,
  versions: OperationVersions,
): Change[] {
  const changes = matches.pairs.flatMap((pair) => compareOperation(pair.from, pair.to, versions));
  const added = matches.added.map(({ method }): Change => {
    return { subject: "operation", action: "added", name: method, breaks: {} };
  });
  return [...changes, ...matches.removed.map(removed), ...added];
}

function removed({ method: name, jsonRpc, http, rpc }: OperationDef): Change {
  const reason = "the operation is removed";
  const json = jsonRpc === undefined && http.length === 0 ? {} : { json: reason };
  const breaks: Breaks = { source: reason, ...json, ...(rpc && { protobuf: reason }) };
  return { subject: "operation", action: "removed", name, breaks };
}

function compareOperation(
  from: OperationDef,
  to: OperationDef,
  versions: OperationVersions,
): Change[] {
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
    ...changed({ subject: "method", name }, from.jsonRpc, to.jsonRpc, {
      json: "the old JSON-RPC method is not found",
    }),
    ...changed({ ...about, aspect: "rpc" }, rpcOf(from), rpcOf(to), {
      protobuf: "the old gRPC path is not found",
    }),
    ...compareRoutes(name, from.http, to.http),
    ...compareConstraints(from, to, versions.to),
    ...deprecation(about, from, to),
  ];
}

function rpcOf({ rpc, name }: OperationDef): string | undefined {
  return rpc === undefined ? undefined : `/${rpc.service}/${name}`;
}

type Part = "request" | "response";

/**
 * Compares a request or response: its type, and its gRPC message if the message differs from the
 * type.
 */
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
  if (isOther && isSame && only.action === "changed")
    return [{ ...only, breaks: { ...only.breaks, protobuf } }];
  const message = { ...about, aspect: `${part} on gRPC` };
  return [...types, ...(isOther ? changed(message, before, now, { protobuf }) : [])];
}

function messageOf(rpc: RpcDef | undefined, part: Part): string {
  return rpc?.[part] ?? "nothing";
}

function compareTypes(
  about: About,
  from: TypeRef,
  to: TypeRef,
  versions: OperationVersions,
): Change[] {
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
