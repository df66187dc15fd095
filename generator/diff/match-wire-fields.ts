import type { WireFieldDef, WireMessageDef } from "../protocol/model/types.js";
import type { Renames } from "../protocol/versions/renames.js";
import { Pairing, type Pair } from "../protocol/versions/pairing.js";
import type { Rename } from "./forms.js";
import { isCompatible } from "./wire-forms.js";

/** The context in which messages are compared. */
export interface WireVersions {
  readonly renames: Renames;
  /** Returns the name in the second version of a message or enum of the first. */
  readonly rename: Rename;
  /** Whether HTTP+JSON sends ProtoJSON that is not the JSON of the model. */
  readonly hasOwnJson: boolean;
}

/**
 * Matches the fields of two versions of a message: as the manifests say, then by name, and at last by number if bytes of
 * one type can be read as the other.
 */
export function matchWireFields(
  from: WireMessageDef,
  to: WireMessageDef,
  { renames, rename }: WireVersions,
): Pairing<WireFieldDef> {
  const namesOf = ({ jsonName }: WireFieldDef): string[] =>
    [...new Set([from.name, to.name])].map((type) => `${type}.${jsonName}`);
  const targets = (field: WireFieldDef): string[] =>
    namesOf(field).flatMap((name) => [...renames.targets("properties", name)]);
  const isOld = (field: WireFieldDef): boolean => targets(field).length > 0;
  const isNew = (field: WireFieldDef): boolean =>
    namesOf(field).some((name) => renames.sources("properties", name).length > 0);
  const matches = new Pairing(from.fields, to.fields)
    .by((before, now) => targets(before).includes(`${to.name}.${now.jsonName}`))
    .by((before, now) => before.proto.name === now.proto.name)
    .by((before, now) => before.jsonName === now.jsonName)
    .by((before, now) => keyOf(before) !== undefined && keyOf(before) === keyOf(now));
  // With more added fields than removed ones, a number does not say which field is the renamed one.
  if (matches.removed.length !== matches.added.length) return matches;
  return matches.by((before, now) => {
    const isFree = !isOld(before) && !isNew(now);
    return isFree && before.proto.number === now.proto.number && isCompatible(before.type, now.type, rename);
  });
}

/** Returns the key of the model that a field carries, if it is a single one. */
function keyOf({ place }: WireFieldDef): string | undefined {
  return place.kind === "path" && place.path.length === 1 && place.when === undefined ? place.path[0] : undefined;
}

/** Returns whether two messages of different names have no field in common, by name and number. */
export function isUnlike(from: WireMessageDef, to: WireMessageDef, versions: WireVersions): boolean {
  if (from.name === to.name || from.fields.length === 0 || to.fields.length === 0) return false;
  const isKept = ({ from: field, to: other }: Pair<WireFieldDef>): boolean => field.proto.number === other.proto.number;
  return !matchWireFields(from, to, versions).pairs.some(isKept);
}
