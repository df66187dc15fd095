import type { Protocol } from "../protocol/types.js";
import { compareErrors, compareFacts, compareOperations } from "./compare-operations.js";
import { compareTypes } from "./compare-types.js";
import { compareWire } from "./compare-wire.js";
import { Renames } from "./renames.js";
import { surfaces, type Change, type Surface } from "./types.js";

/**
 * Compares two specifications and gives every difference: facts, operations, errors, types as TypeScript and JSON see
 * them, and what protobuf carries. Renames are recognised by the manifest of the later one, and by what types have in
 * common. Two equal specifications have none.
 */
export function compareProtocols(from: Protocol, to: Protocol): Change[] {
  const renames = new Renames(from, to);
  return [
    ...compareFacts(from, to),
    ...compareOperations(from, to, renames),
    ...compareErrors(from, to, renames),
    ...compareTypes(from.types, to.types, renames),
    ...compareWire(from.wire, to.wire, renames),
  ];
}

/** The surfaces that a change breaks. */
export function brokenBy({ breaks }: Change): Surface[] {
  return surfaces.filter((surface) => breaks[surface] !== undefined);
}
