import type { Protocol } from "../protocol/model/types.js";
import { Renames } from "../protocol/versions/manifest-renames.js";
import { compareErrors } from "./compare-errors.js";
import { compareFacts } from "./compare-facts.js";
import { compareOperations } from "./compare-operations.js";
import { compareTypes } from "./compare-types.js";
import { compareWire, matchWire } from "./compare-wire.js";
import { TypeMatches } from "./match-types.js";
import { typeShape } from "./shapes.js";
import { surfaces, type Change, type Surface } from "./types.js";

/**
 * Compares two specifications and returns every difference. Finds renames in the manifest of the
 * later version, and by comparing the parts of types. Either argument may be the later version.
 */
export function compareProtocols(from: Protocol, to: Protocol): Change[] {
  const renames = new Renames(from, to);
  const types = new TypeMatches(from.types, to.types, renames, typeShape);
  const messages = matchWire(from.wire, to.wire, renames);
  const versions = { renames, rename: types.rename, from: resolver(from), to: resolver(to) };
  return [
    ...compareFacts(from, to),
    ...compareOperations(from, to, { ...versions, renameMessage: messages.rename }),
    ...compareErrors(from, to, renames),
    ...compareTypes(to, types, versions),
    ...compareWire(from.wire, to.wire, messages, renames),
  ];
}

function resolver({ types }: Protocol) {
  const known = new Map(types.map((type) => [type.name, type]));
  return (name: string) => known.get(name);
}

/** Returns the surfaces that a change breaks. */
export function brokenSurfaces({ breaks }: Change): Surface[] {
  return surfaces.filter((surface) => breaks[surface] !== undefined);
}
