import type { FieldDef, MessageDef } from "../protocol/model/types.js";
import type { Claims } from "./claims.js";
import { jsonForm, type Rename } from "./forms.js";

/** A field of a message in one version, and what it is in the other. */
export interface FieldPair {
  readonly from: FieldDef;
  readonly to: FieldDef;
}

/** What the fields of a message are called in the other version of it. */
export interface FieldMatches {
  readonly pairs: readonly FieldPair[];
  readonly removed: readonly FieldDef[];
  readonly added: readonly FieldDef[];
}

type Finder = (field: FieldDef, free: readonly FieldDef[]) => FieldDef | undefined;

/**
 * Matches the fields of two versions of a message: as the manifests say, then by name, by number where the type fits,
 * and at last by a name that says more precisely whose it is (`id`, `taskId`).
 */
export function matchFields(from: MessageDef, to: MessageDef, claims: Claims, rename: Rename): FieldMatches {
  const pairs: FieldPair[] = [];
  const pairUp = (find: Finder): void => {
    for (const field of from.fields.filter((one) => !pairs.some((pair) => pair.from === one))) {
      const found = find(
        field,
        to.fields.filter((one) => !pairs.some((pair) => pair.to === one)),
      );
      if (found !== undefined) pairs.push({ from: field, to: found });
    }
  };
  const isFit = (a: FieldDef, b: FieldDef): boolean => jsonForm(a.type, rename) === jsonForm(b.type, (name) => name);
  pairUp((field, free) => free.find((other) => isClaimed([from, field], [to, other], claims)));
  pairUp((field, free) => free.find(({ name }) => name === field.name));
  pairUp((field, free) => free.find((other) => isFit(field, other) && hasNumberOf(field, other, from, to, claims)));
  const isElsewhere = (field: FieldDef): boolean => placesOf(from, field, claims, () => to.name).length > 0;
  pairUp((field, free) =>
    isElsewhere(field)
      ? undefined
      : only(free.filter((other) => isFit(field, other) && isSameName(field.name, other.name))),
  );
  const order = (field: FieldDef): number => from.fields.indexOf(field);
  return {
    pairs: pairs.sort((a, b) => order(a.from) - order(b.from)),
    removed: from.fields.filter((field) => !pairs.some((pair) => pair.from === field)),
    added: to.fields.filter((field) => !pairs.some((pair) => pair.to === field)),
  };
}

/** The fields of other types that a manifest says a field is now. */
export function placesOf({ name: type }: MessageDef, { name }: FieldDef, claims: Claims, rename: Rename): string[] {
  return [...new Set([type, rename(type)])].flatMap((owner) => claims.targets("properties", `${owner}.${name}`));
}

/** Whether two versions of a message have nothing in common but perhaps names, while both have fields. */
export function isUnlike(from: MessageDef, to: MessageDef, claims: Claims, rename: Rename): boolean {
  if (from.name === to.name || from.fields.length === 0 || to.fields.length === 0) return false;
  const isFit = ({ from: field, to: other }: FieldPair): boolean =>
    jsonForm(field.type, rename) === jsonForm(other.type, (name) => name);
  return !matchFields(from, to, claims, rename).pairs.some(isFit);
}

type Owned = readonly [MessageDef, FieldDef];

/** Manifests name old properties by the old or the present name of their type. */
function isClaimed([from, field]: Owned, [to, other]: Owned, claims: Claims): boolean {
  return [from.name, to.name].some((type) =>
    claims
      .targets("properties", `${type}.${field.name}`)
      .some((target) => target === `${to.name}.${other.name}` || target === `${from.name}.${other.name}`),
  );
}

/**
 * Whether a field has the number of another under a new name. Where there are more new names than old ones it cannot be
 * told what became of what.
 */
function hasNumberOf(field: FieldDef, other: FieldDef, from: MessageDef, to: MessageDef, claims: Claims): boolean {
  if (field.proto === undefined || field.proto.number !== other.proto?.number) return false;
  if (field.proto.name === other.proto.name) return true;
  const isKept = ({ fields }: MessageDef, { proto }: FieldDef): boolean =>
    fields.some((one) => one.proto?.name === proto?.name);
  const isMoved =
    placesOf(from, field, claims, () => to.name).length > 0 ||
    claims.sources("properties", `${to.name}.${other.name}`).length > 0;
  const gone = from.fields.filter((one) => !isKept(to, one));
  const fresh = to.fields.filter((one) => !isKept(from, one));
  return !isMoved && gone.includes(field) && fresh.includes(other) && gone.length === fresh.length;
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Whether one name is the other with a word before it. */
function isSameName(one: string, other: string): boolean {
  const behind = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
  return one.endsWith(behind(other)) || other.endsWith(behind(one));
}
