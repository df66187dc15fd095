import type { WireFieldDef, WireMessageDef } from "../protocol/model/types.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { Pairing, type Pair } from "../protocol/versions/pairing.js";
import type { Rename } from "./forms.js";
import { keepsNumbers } from "./numbers.js";
import { isCompatible } from "./wire-forms.js";

/** Context in which messages are compared. */
export interface WireVersions {
  readonly renames: Renames;
  /** Returns the name in the second version for a message or enum of the first version. */
  readonly rename: Rename;
  /** Whether HTTP+JSON sends ProtoJSON that differs from the JSON of the model. */
  readonly hasOwnJson: boolean;
}

/**
 * Matches the fields of two versions of a message: first by the manifests, then by name, and
 * finally by number if bytes of one type can be read as the other type.
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
  const [before, now] = [from, to].map(({ fields }) => fields.map(({ proto }) => proto));
  const isComplete = matches.removed.length === matches.added.length;
  if (!isComplete && !(renames.isSamePackage && keepsNumbers(before ?? [], now ?? [])))
    return matches;
  return matches.by((before, now) => {
    const isFree = !isOld(before) && !isNew(now);
    return (
      isFree &&
      before.proto.number === now.proto.number &&
      isCompatible(before.type, now.type, rename)
    );
  });
}

/** Returns the key in the model that a field represents, if it represents exactly one key. */
function keyOf({ mapping }: WireFieldDef): string | undefined {
  return mapping.kind === "path" && mapping.path.length === 1 && mapping.when === undefined
    ? mapping.path[0]
    : undefined;
}

/** Returns whether two messages with different names have no field in common by name and number. */
export function isUnrelated(
  from: WireMessageDef,
  to: WireMessageDef,
  versions: WireVersions,
): boolean {
  if (from.name === to.name || from.fields.length === 0 || to.fields.length === 0) return false;
  const isKept = ({ from: field, to: other }: Pair<WireFieldDef>): boolean =>
    field.proto.number === other.proto.number;
  return !matchWireFields(from, to, versions).pairs.some(isKept);
}
