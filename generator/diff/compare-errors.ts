import type { ErrorDef, Protocol } from "../protocol/model/types.js";
import type { Claims } from "./claims.js";
import { changed, noted, type About, type Change } from "./types.js";

/** Compares errors by their classes, and by the codes that identify them on each transport. */
export function compareErrors(from: Protocol, to: Protocol, claims: Claims): Change[] {
  const after = new Map((to.binding?.errors ?? []).map((error) => [error.name, error]));
  const met = new Set<string>();
  const isNamed = [from, to].every(({ binding }) => binding !== undefined && binding.errorFormat !== "plain");
  const changes = (from.binding?.errors ?? []).flatMap((error): Change[] => {
    const { name } = error;
    const target = after.has(name) ? name : claims.targets("errors", name).find((known) => after.has(known));
    const found = target === undefined ? undefined : after.get(target);
    if (found === undefined)
      return [{ subject: "error", action: "removed", name, breaks: { source: "the class is removed" } }];
    met.add(found.name);
    return [...compareName(name, found.name, claims), ...compareCodes(error, found, isNamed)];
  });
  const added = [...after.keys()].filter((name) => !met.has(name));
  return [...changes, ...added.map((name): Change => ({ subject: "error", action: "added", name, breaks: {} }))];
}

function compareName(name: string, to: string, claims: Claims): Change[] {
  if (name === to) return [];
  const breaks = claims.isAliased("errors", name) ? {} : { source: "the name is removed, and there is no alias" };
  return [{ subject: "error", action: "renamed", name, to, ...noted(claims.note("errors", name)), breaks }];
}

// Only some formats of errors send the reason.
function compareCodes(from: ErrorDef, to: ErrorDef, hasReason: boolean): Change[] {
  const on = (aspect: string): About => ({ subject: "error", name: from.name, aspect });
  const reason = "callers that check it see another error";
  const reasons = { json: reason, protobuf: reason };
  return [
    ...changed(on("code on JSON-RPC"), from.jsonRpc, to.jsonRpc, { json: reason }),
    ...changed(on("status on HTTP+JSON"), from.http, to.http, { json: reason }),
    ...changed(on("status on gRPC"), from.grpc, to.grpc, { protobuf: reason }),
    ...(hasReason ? changed(on("reason"), from.reason, to.reason, reasons) : []),
  ];
}
