import type { OperationDef, Protocol, ServiceDef, TypeDef } from "../protocol/model/types.js";
import { Renames } from "../protocol/versions/manifest-renames.js";
import type { Renamed } from "../protocol/versions/match-operations.js";
import type { Pairing } from "../protocol/versions/pairing.js";
import { compareErrors } from "./compare-errors.js";
import { compareFacts } from "./compare-facts.js";
import { compareOperations } from "./compare-operations.js";
import { compareServices } from "./compare-services.js";
import { compareTypes } from "./compare-types.js";
import { compareWire, matchWire } from "./compare-wire.js";
import { matchCalls, matchServices } from "./match-calls.js";
import { TypeMatches } from "./match-types.js";
import { typeShape } from "./shapes.js";
import { surfaces, type Change, type Surface } from "./types.js";
import { typesUsedAlike } from "./uses.js";

/**
 * Compares two specifications and returns every difference. Finds renames in the manifest of the
 * later version, and by comparing the parts of types. Either argument may be the later version.
 */
export function compareProtocols(from: Protocol, to: Protocol): Change[] {
  const renames = new Renames(from, to);
  const { types, services, operations } = matchProtocols(from, to, renames);
  const messages = matchWire(from, to, renames);
  const versions = { renames, rename: types.rename, from: resolver(from), to: resolver(to) };
  return [
    ...compareFacts(from, to),
    ...compareServices(services),
    ...compareOperations(operations, { ...versions, renameMessage: messages.rename }),
    ...compareErrors(from, to, renames),
    ...compareTypes(to, types, versions),
    ...compareWire(from.wire, to.wire, messages, renames),
  ];
}

/** The counterparts of the parts of two versions. */
export interface Matches {
  readonly types: TypeMatches<TypeDef>;
  readonly services: TypeMatches<ServiceDef>;
  readonly operations: Pairing<OperationDef>;
}

/**
 * Finds the counterparts of the parts of two versions. `renamed` returns the names that the manifest
 * lists for a JSON-RPC method.
 */
export function matchProtocols(
  from: Protocol,
  to: Protocol,
  renames: Renames,
  renamed: Renamed = (method) => renames.targets("methods", method),
): Matches {
  const isUsedAlike = typesUsedAlike(from, to, renames);
  const types = new TypeMatches(from.types, to.types, renames, typeShape, isUsedAlike);
  const services = matchServices(from, to, renames);
  const fullNames = new Map(services.pairs.map((pair) => [pair.from.fullName, pair.to.fullName]));
  const service = (name: string): string => fullNames.get(name) ?? name;
  const operations = matchCalls(from, to, { method: renamed, type: types.rename, service });
  return { types, services, operations };
}

function resolver({ types }: Protocol) {
  const known = new Map(types.map((type) => [type.name, type]));
  return (name: string) => known.get(name);
}

/** Returns the surfaces that a change breaks. */
export function brokenSurfaces({ breaks }: Change): Surface[] {
  return surfaces.filter((surface) => breaks[surface] !== undefined);
}
