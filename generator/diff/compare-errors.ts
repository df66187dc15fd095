import type { ErrorDef, Protocol } from "../protocol/model/types.js";
import { matchErrors } from "../protocol/versions/match-operations.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { changed, noted, type About, type Change } from "./types.js";

/** Compares errors by their classes, and by the codes that identify them on each transport. */
export function compareErrors(from: Protocol, to: Protocol, renames: Renames): Change[] {
  const matches = matchErrors(from, to, (name) => renames.targets("errors", name));
  // Errors in the format "plain" contain no reason.
  const hasReason = [from, to].every(
    ({ binding }) => binding !== undefined && binding.errorFormat !== "plain",
  );
  const changes = matches.pairs.flatMap((pair): Change[] => [
    ...compareName(pair.from.name, pair.to.name, renames),
    ...compareCodes(pair.from, pair.to, { hasReason }),
  ]);
  const removed = matches.removed.map(({ name }): Change => {
    return {
      subject: "error",
      action: "removed",
      name,
      breaks: { source: "the class is removed" },
    };
  });
  const added = matches.added.map(({ name }): Change => ({
    subject: "error",
    action: "added",
    name,
    breaks: {},
  }));
  return [...changes, ...removed, ...added];
}

function compareName(name: string, to: string, renames: Renames): Change[] {
  if (name === to) return [];
  const breaks = renames.isAliased("errors", name)
    ? {}
    : { source: "the name is removed, and has no alias" };
  return [
    {
      subject: "error",
      action: "renamed",
      name,
      to,
      ...noted(renames.note("errors", name)),
      breaks,
    },
  ];
}

function compareCodes(
  from: ErrorDef,
  to: ErrorDef,
  { hasReason }: { readonly hasReason: boolean },
): Change[] {
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
