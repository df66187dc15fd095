import type { FieldDef, MessageDef } from "../protocol/model/types.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { Pairing, type Pair } from "../protocol/versions/pairing.js";
import { jsonForm, type Rename } from "./forms.js";
import { keepsNumbers } from "./numbers.js";

/**
 * Matches the fields of two versions of a message: first by the manifests, then by name, then by
 * number if the types are compatible, and finally by a name that is longer in one version (`id`,
 * `taskId`).
 */
export function matchFields(
  from: MessageDef,
  to: MessageDef,
  renames: Renames,
  rename: Rename,
): Pairing<FieldDef> {
  const isFit = (a: FieldDef, b: FieldDef): boolean =>
    jsonForm(a.type, rename) === jsonForm(b.type, (name) => name);
  const isElsewhere = (field: FieldDef): boolean =>
    movedPathsOf(from, field, renames, () => to.name).length > 0;
  return new Pairing(from.fields, to.fields)
    .by((field, other) => isClaimed([from, field], [to, other], renames))
    .by((field, other) => field.name === other.name)
    .by((field, other) => isFit(field, other) && hasNumberOf(field, other, from, to, renames))
    .find((field, free) => {
      const isLonger = (other: FieldDef): boolean =>
        isFit(field, other) && isSameName(field.name, other.name);
      return isElsewhere(field) ? undefined : only(free.filter(isLonger));
    });
}

/** Returns the fields in other types to which a field was moved according to the manifest. */
export function movedPathsOf(
  { name: type }: MessageDef,
  { name }: FieldDef,
  renames: Renames,
  rename: Rename,
): string[] {
  return [...new Set([type, rename(type)])].flatMap((owner) =>
    renames.targets("properties", `${owner}.${name}`),
  );
}

/**
 * Returns whether two messages have different names, at least one field each, and no field with the
 * same name and form.
 */
export function isUnrelated(
  from: MessageDef,
  to: MessageDef,
  renames: Renames,
  rename: Rename,
): boolean {
  if (from.name === to.name || from.fields.length === 0 || to.fields.length === 0) return false;
  const isFit = ({ from: field, to: other }: Pair<FieldDef>): boolean =>
    jsonForm(field.type, rename) === jsonForm(other.type, (name) => name);
  return !matchFields(from, to, renames, rename).pairs.some(isFit);
}

type Owned = readonly [MessageDef, FieldDef];

// Manifests refer to an old property by the old or the new name of its type.
function isClaimed([from, field]: Owned, [to, other]: Owned, renames: Renames): boolean {
  return [from.name, to.name].some((type) =>
    renames
      .targets("properties", `${type}.${field.name}`)
      .some(
        (target) =>
          target === `${to.name}.${other.name}` || target === `${from.name}.${other.name}`,
      ),
  );
}

/**
 * Returns whether a field has the number of another field and a new name. Between two packages,
 * numbers are ambiguous and are ignored if more fields were added than removed.
 */
function hasNumberOf(
  field: FieldDef,
  other: FieldDef,
  from: MessageDef,
  to: MessageDef,
  renames: Renames,
): boolean {
  if (field.proto === undefined || field.proto.number !== other.proto?.number) return false;
  if (field.proto.name === other.proto.name) return true;
  const isKept = ({ fields }: MessageDef, { proto }: FieldDef): boolean =>
    fields.some((candidate) => candidate.proto?.name === proto?.name);
  const isMoved =
    movedPathsOf(from, field, renames, () => to.name).length > 0 ||
    renames.sources("properties", `${to.name}.${other.name}`).length > 0;
  const removed = from.fields.filter((one) => !isKept(to, one));
  const added = to.fields.filter((one) => !isKept(from, one));
  if (isMoved || !removed.includes(field) || !added.includes(other)) return false;
  const protosOf = ({ fields }: MessageDef) => fields.flatMap(({ proto }) => proto ?? []);
  return (
    removed.length === added.length ||
    (renames.isSamePackage && keepsNumbers(protosOf(from), protosOf(to)))
  );
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Returns whether one of the names consists of a prefix and the other name. */
function isSameName(from: string, to: string): boolean {
  const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
  return from.endsWith(capitalized(to)) || to.endsWith(capitalized(from));
}
