import type { WireFieldDef, WireMessageDef } from "../protocol/model/types.js";
import type { Claims } from "./claims.js";
import type { Rename } from "./forms.js";
import { isCompatible } from "./wire-forms.js";

/** The context in which messages are compared. */
export interface WireVersions {
  readonly claims: Claims;
  /** Returns the name in the second version of a message or enum of the first. */
  readonly rename: Rename;
  /** Whether HTTP+JSON sends ProtoJSON that is not the JSON of the model. */
  readonly hasOwnJson: boolean;
}

/** A field of a message in one version, and its counterpart in the other. */
export interface WirePair {
  readonly from: WireFieldDef;
  readonly to: WireFieldDef;
}

/**
 * Matches the fields of two versions of a message: as the manifests say, then by name, and at last by number if bytes of
 * one type can be read as the other.
 */
export function matchWireFields(
  from: WireMessageDef,
  to: WireMessageDef,
  { claims, rename }: WireVersions,
): WirePair[] {
  const pairs: WirePair[] = [];
  const pairUp = (isSame: (before: WireFieldDef, now: WireFieldDef) => boolean): void => {
    for (const field of from.fields.filter((one) => !pairs.some((pair) => pair.from === one))) {
      const free = to.fields.filter((one) => !pairs.some((pair) => pair.to === one));
      const found = free.find((now) => isSame(field, now));
      if (found !== undefined) pairs.push({ from: field, to: found });
    }
  };
  const targets = ({ jsonName }: WireFieldDef): string[] =>
    [...new Set([from.name, to.name])].flatMap((type) => claims.targets("properties", `${type}.${jsonName}`));
  const sources = ({ jsonName }: WireFieldDef): string[] =>
    [...new Set([from.name, to.name])].flatMap((type) => claims.sources("properties", `${type}.${jsonName}`));
  pairUp((before, now) => targets(before).includes(`${to.name}.${now.jsonName}`));
  pairUp((before, now) => before.proto.name === now.proto.name);
  pairUp((before, now) => before.jsonName === now.jsonName);
  pairUp((before, now) => keyOf(before) !== undefined && keyOf(before) === keyOf(now));
  const left = (fields: readonly WireFieldDef[], side: "from" | "to"): WireFieldDef[] =>
    fields.filter((field) => !pairs.some((pair) => pair[side] === field));
  // With more added fields than removed ones, a number does not say which field is the renamed one.
  const isEven = left(from.fields, "from").length === left(to.fields, "to").length;
  pairUp((before, now) => {
    const isFree = isEven && targets(before).length === 0 && sources(now).length === 0;
    return isFree && before.proto.number === now.proto.number && isCompatible(before.type, now.type, rename);
  });
  return pairs;
}

/** Returns the key of the model that a field carries, if it is a single one. */
function keyOf({ place }: WireFieldDef): string | undefined {
  return place.kind === "path" && place.path.length === 1 && place.when === undefined ? place.path[0] : undefined;
}

/** Returns whether two messages of different names have no field in common, by name and number. */
export function isUnlike(from: WireMessageDef, to: WireMessageDef, versions: WireVersions): boolean {
  if (from.name === to.name || from.fields.length === 0 || to.fields.length === 0) return false;
  const isKept = ({ from: field, to: other }: WirePair): boolean => field.proto.number === other.proto.number;
  return !matchWireFields(from, to, versions).some(isKept);
}
