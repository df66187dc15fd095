import type { Shapes } from "../correlate/shape.js";
import type { ValueType } from "../model/types.js";
import type { MappingContext, Move, Objects } from "./context.js";
import { wrappedHint } from "./fields.js";
import { isSame, propertyPath } from "./property-paths.js";
import { narrowAt } from "./rest.js";
import { both, bothSides, earlier, later, onlyAt, opposite } from "./sides.js";
import type { Member, ObjectMapping } from "./types.js";

/**
 * Returns whether each of several alternatives has a requirement that the other alternatives do not
 * have.
 */
function requiresAny(shapes: Shapes, type: ValueType): boolean {
  const all = shapes.properties(type);
  const alternatives = shapes.alternatives(type);
  const isOwn = (name: string): boolean => all?.get(name)?.presence !== "required";
  const hasOwnRequirement = (alternative: ValueType): boolean => {
    const fields = shapes.message(alternative)?.fields ?? [];
    return fields.some(({ name, presence }) => presence === "required" && isOwn(name));
  };
  return alternatives.length > 1 && alternatives.every(hasOwnRequirement);
}

/**
 * Returns the groups of members of which one version accepts only one member, although the other
 * version accepts several.
 */
export function exclusiveOf(
  mapper: MappingContext,
  objects: Objects,
  fields: readonly Member[],
): ObjectMapping["exclusive"] {
  const { shapes, accounts } = mapper;
  const { types, owners, foreign, present } = objects;
  const paths = both((side) => owners[side][0] ?? "");
  const requiring = both((side) => requiresAny(shapes[side], types[side]));
  for (const side of bothSides)
    if (!requiring[side] && requiring[opposite(side)])
      accounts.narrow(side, paths, "the other version requires more of its members");
  if (foreign !== undefined || present !== undefined) return undefined;
  const oneofs = both((side) => shapes[side].message(types[side])?.oneofs[0]);
  if (oneofs[earlier] !== undefined || oneofs[later] === undefined) return undefined;
  const isMapped = (name: string): boolean =>
    fields.some(({ at }) => at[later]?.[0] === name && at[earlier] !== undefined);
  const mapped = oneofs[later].members.filter(isMapped);
  if (mapped.length < 2) return undefined;
  const reason = `the other version only accepts one of ${mapped.join(", ")}`;
  accounts.narrow(earlier, paths, reason);
  return [undefined, mapped];
}

/**
 * Returns the list that must not be empty in one version, because the other version requires its
 * first element.
 */
export function needsOf(
  mapper: MappingContext,
  objects: Objects,
  moves: readonly Move[],
): ObjectMapping["needs"] {
  const { shapes } = mapper;
  for (const { at, value } of moves) {
    if (value !== "only") continue;
    const found = both((side) => shapes[side].at(objects.types[side], at[side]));
    const list = found[earlier]?.type.kind === "list" ? earlier : later;
    const other = opposite(list);
    if (found[other]?.presence !== "required") continue;
    const withoutElement = `without an element of ${at[list].join(".")}, it becomes absent`;
    const ifEmpty = `with an empty ${at[other].join(".")}, it may become absent`;
    narrowAt(mapper, objects, { side: list, path: [] }, withoutElement);
    narrowAt(mapper, objects, { side: other, path: [] }, ifEmpty);
    return onlyAt(list, at[list]);
  }
  return undefined;
}

/**
 * Returns the property that may be a member of an object in the earlier version, according to the
 * manifest.
 */
export function wrappedOf(
  mapper: MappingContext,
  objects: Objects,
  moves: readonly Move[],
): ObjectMapping["wrapped"] {
  for (const { at } of moves) {
    const hint = wrappedHint(mapper, objects, at);
    if (hint === undefined) continue;
    const flag = hint.flag.split(".");
    const around = moves.find((move) => isSame(move.at[earlier], flag.slice(0, -1)));
    if (around === undefined) continue;
    const paths = both((side) => propertyPath(objects.owners[side], around.at[side]));
    mapper.accounts.narrow(later, paths, `the other version uses the flag ${hint.flag} instead`);
    return { at, as: hint.as, flag: [flag, [...around.at[later], ...flag.slice(-1)]] };
  }
  return undefined;
}
