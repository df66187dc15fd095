import type { OperationDef, Protocol, ServiceDef, TypeRef } from "../protocol/model/types.js";
import { matchOperations, type Renamed } from "../protocol/versions/match-operations.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import type { Pairing } from "../protocol/versions/pairing.js";
import { hasSameRoutes } from "./compare-routes.js";
import type { Rename } from "./forms.js";
import { TypeMatches } from "./match-types.js";
import { Shape } from "./shapes.js";

/** Names in the second version for the names of the first version. */
export interface CallNames {
  /** Returns the names that a manifest lists for a JSON-RPC method. */
  readonly method: Renamed;
  readonly type: Rename;
  /** Returns the full name of a service. */
  readonly service: Rename;
}

/**
 * Matches the operations of two versions: by a manifest, by name, by their routes, and finally by
 * their signatures. An rpc has no number, so a signature only identifies a renamed rpc if no other
 * new or removed rpc of the service has it, and if as many rpcs were added as removed.
 */
export function matchCalls(from: Protocol, to: Protocol, names: CallNames): Pairing<OperationDef> {
  const matches = matchOperations(from, to, names.method).by(hasSameRoutes);
  const same = (name: string): string => name;
  const signature = (operation: OperationDef, rename: Rename, service: Rename): string =>
    [
      service(operation.rpc?.service ?? ""),
      operation.streaming,
      formOf(operation.request, rename),
      formOf(operation.response, rename),
    ].join(" ");
  const { removed, added } = matches;
  const before = countBy(removed, (operation) => signature(operation, names.type, names.service));
  const now = countBy(added, (operation) => signature(operation, same, same));
  const removedIn = countBy(removed, ({ rpc }) => names.service(rpc?.service ?? ""));
  const addedIn = countBy(added, ({ rpc }) => rpc?.service ?? "");
  return matches.by((operation, other) => {
    const service = other.rpc?.service;
    if (service === undefined || operation.rpc === undefined) return false;
    const own = signature(operation, names.type, names.service);
    return (
      own === signature(other, same, same) &&
      before.get(own) === 1 &&
      now.get(own) === 1 &&
      removedIn.get(service) === addedIn.get(service)
    );
  });
}

/** Matches the services of two versions that are not agents: by name, and by similar rpcs. */
export function matchServices(
  from: Protocol,
  to: Protocol,
  renames: Renames,
): TypeMatches<ServiceDef> {
  const shapes = (operations: readonly OperationDef[]) => (service: ServiceDef) =>
    new Shape(
      "service",
      operations.flatMap(({ rpc, streaming }) =>
        rpc?.service === service.fullName ? [`${rpc.method}: ${streaming}`] : [],
      ),
    );
  const [before, now] = [from, to].map(({ operations }) => shapes(operations));
  const isOld = new Set(from.services);
  const shapeOf = (service: ServiceDef): Shape =>
    (isOld.has(service) ? before : now)?.(service) ?? new Shape("service");
  return new TypeMatches(from.services ?? [], to.services ?? [], renames, shapeOf);
}

function formOf(ref: TypeRef, rename: Rename): string {
  return ref.kind === "named" ? rename(ref.name) : "nothing";
}

function countBy<T>(elements: readonly T[], keyOf: (element: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const element of elements) {
    const key = keyOf(element);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
