import type { Shapes } from "../correlate/shape.js";
import type { MessageDef, ValueType } from "../model/types.js";
import type { MappingContext, Move, ObjectFacts, Objects } from "./context.js";
import { fillValueOf, mapField, marksLastEvent, wrappedHint } from "./fields.js";
import { formsOf, haveCommonForm } from "./forms.js";
import { findFirstElement } from "./first.js";
import { namesOf, propertyPath } from "./property-paths.js";
import { bodyMoves, findResourceNames, isName, narrowIds } from "./resources.js";
import { both, bothSides, earlier, later, onlyAt, opposite } from "./sides.js";
import type { Member, ObjectMapping, Path, Side, Sides } from "./types.js";

/**
 * Maps the properties of two objects: first the properties that the manifest names, then properties
 * with the same name.
 */
export function mapObject(
  mapper: MappingContext,
  types: Sides<ValueType>,
  moves: readonly Move[],
): ObjectMapping {
  return mapMembers(mapper, types, { moves });
}

/** Maps the properties of two objects. One of the objects may be an alternative of a union. */
export function mapMembers(
  mapper: MappingContext,
  types: Sides<ValueType>,
  facts: ObjectFacts,
): ObjectMapping {
  const owners = both((side) => namesOf(mapper.shapes[side], types[side]));
  const objects: Objects = { ...facts, types, owners };
  const found = findResourceNames(mapper, objects);
  const isNamed = (move: Move): boolean =>
    bothSides.some((side) => isName(found, side, move.at[side]));
  const all = movesOf(mapper, objects).filter((move) => !isNamed(move));
  narrowIds(mapper, objects, found, all);
  const first = findFirstElement(mapper, objects, all);
  const moves = all.filter((move) => move !== first?.move);
  const covered = both((side) => [
    ...pathsOf(all, side),
    ...(first?.covered[side] ?? []),
    ...found.covered[side],
  ]);
  const constants = both((side) => constantsOf(mapper, objects, side, covered[side]));
  const rest = bothSides.flatMap((side) => restOf(mapper, objects, side, covered[side]));
  // Process containers before their members.
  const depth = ({ at, inside }: Member): number =>
    Math.max(at[earlier]?.length ?? 0, at[later]?.length ?? 0) + (inside === true ? 0.5 : 0);
  const fields = [
    ...moves.map((move) => mapField(mapper, objects, move)),
    ...rest,
    ...found.fields,
  ];
  fields.sort((one, other) => depth(one) - depth(other));
  const exclusive = exclusiveOf(mapper, objects, fields);
  const wrapped = wrappedOf(mapper, objects, moves);
  const needs = needsOf(mapper, objects, moves);
  const more = {
    ...(exclusive !== undefined && { exclusive }),
    ...(needs !== undefined && { needs }),
    ...(first !== undefined && { first: first.mapping }),
    ...(wrapped !== undefined && { wrapped }),
    ...(found.names.length > 0 && { names: found.names }),
  };
  return { kind: "object", fields, constants, ...more };
}

function movesOf(mapper: MappingContext, objects: Objects): Move[] {
  return foundMoves(mapper, objects).map((move) => ({
    ...move,
    at: unwrapped(mapper, objects, move),
  }));
}

/**
 * Returns the paths of a moved value. If the value is the only member of an object in one version
 * and stands alone in the other version, the path in the first version leads to this member.
 */
function unwrapped({ shapes }: MappingContext, { types }: Objects, { at }: Move): Move["at"] {
  const found = both((side) => shapes[side].at(types[side], at[side])?.type);
  return both((side): Path => {
    const [own, other] = [found[side], found[opposite(side)]];
    if (own === undefined || other === undefined || at[side].length === 0) return at[side];
    const isObject = shapes[opposite(side)].properties(other) !== undefined;
    const [only, ...rest] = shapes[side].message(own)?.fields ?? [];
    if (only === undefined || rest.length > 0 || isObject) return at[side];
    const forms = [
      formsOf(only.type, shapes[side]),
      formsOf(other, shapes[opposite(side)]),
    ] as const;
    return haveCommonForm(...forms) ? [...at[side], only.name] : at[side];
  });
}

function foundMoves(
  mapper: MappingContext,
  { types: [a, b], owners, moves = [], foreign }: Objects,
): Move[] {
  const { shapes, names } = mapper;
  const isThere = ({ at }: Move): boolean =>
    shapes[earlier].at(a, at[earlier]) !== undefined &&
    shapes[later].at(b, at[later]) !== undefined;
  const found = [...bodyMoves(mapper, [a, b]), ...moves.filter(isThere)];
  const add = (move: Move): void => {
    const isTaken = found.some(({ at }) =>
      bothSides.some((side) => isSame(at[side], move.at[side])),
    );
    const [first = ""] = move.at[later];
    if (isThere(move) && !isTaken && foreign?.has(first) !== true) found.push(move);
  };
  if (found.some(({ at }) => bothSides.some((side) => at[side].length === 0))) return found;
  for (const { path, type, now, value } of names.properties(
    new Set([...owners[earlier], ...owners[later]]),
  )) {
    const base = owners[later].includes(type) ? [] : pathTo(shapes[later].message(b), type);
    if (base === undefined || shapes[earlier].at(a, path) === undefined) continue;
    if (base.length > 0) carryFrom(mapper, later, type, now);
    add({ at: [path, [...base, ...now]], ...(value !== undefined && { value }) });
  }
  for (const { owner, path, now } of names.arriving(new Set(owners[later]))) {
    const base = owners[earlier].includes(owner)
      ? undefined
      : pathTo(shapes[earlier].message(a), owner);
    if (base === undefined) continue;
    carryFrom(mapper, earlier, owner, path);
    add({ at: [[...base, ...path], now] });
  }
  for (const name of shapes[earlier].properties(a)?.keys() ?? []) add({ at: [[name], [name]] });
  return found;
}

/**
 * Records that the other version has the property `path` of `type`, but in the surrounding object.
 * If only one property uses `type`, this applies to the type as a whole.
 */
function carryFrom(
  { protocols, accounts }: MappingContext,
  side: Side,
  type: string,
  path: Path,
): void {
  const fields = protocols[side].types.flatMap((one) => (one.kind === "message" ? one.fields : []));
  const paths = fields.filter((field) =>
    JSON.stringify(field.type).includes(`"name":${JSON.stringify(type)}`),
  );
  const subject = [type, ...path].join(".");
  if (paths.length === 1) accounts.carry(side, subject);
  else accounts.carrySometimes(side, subject);
}

/**
 * Returns the key of the only member with the given type; `undefined` if no member or several
 * members have the type.
 */
function pathTo(message: MessageDef | undefined, type: string): Path | undefined {
  const found =
    message?.fields.filter((field) => field.type.kind === "message" && field.type.name === type) ??
    [];
  return found.length === 1 ? found.map(({ name }) => name) : undefined;
}

function pathsOf(moves: readonly Move[], side: Side): Path[] {
  return moves.map(({ at }) => at[side]);
}

/** Returns the constants of the required members that the other version does not have. */
function constantsOf(
  { shapes }: MappingContext,
  { types }: Objects,
  side: Side,
  covered: readonly Path[],
): Readonly<Record<string, string>> {
  if (covered.some((path) => path.length === 0)) return {};
  const properties = [...(shapes[side].properties(types[side]) ?? [])];
  return Object.fromEntries(
    properties.flatMap(([name, { type, presence }]) => {
      const value = shapes[side].constant(type);
      const isMapped = covered.some((path) => isSame(path, [name]));
      return value === undefined || isMapped || presence !== "required"
        ? []
        : [[name, value] as const];
    }),
  );
}

/**
 * Records the properties that only one version has, and returns the members that must be set in
 * their place.
 */
function restOf(
  mapper: MappingContext,
  objects: Objects,
  side: Side,
  covered: readonly Path[],
): Member[] {
  return restIn(mapper, objects, { side, covered, base: [], type: objects.types[side] });
}

interface Search {
  readonly side: Side;
  readonly covered: readonly Path[];
  readonly base: Path;
  readonly type: ValueType;
}

function restIn(
  mapper: MappingContext,
  objects: Objects,
  { side, covered, base, type }: Search,
): Member[] {
  const shapes = mapper.shapes[side];
  return [...(shapes.properties(type) ?? [])].flatMap(([name, property]): Member[] => {
    const path = [...base, name];
    const under = covered.filter(
      (one) => one.length === 0 || path.every((key, index) => one[index] === key),
    );
    if (under.some((one) => one.length <= path.length)) return [];
    if (under.length > 0) {
      if (property.presence !== "required")
        narrowAt(mapper, objects, [side, path], "without members, it becomes absent");
      return restIn(mapper, objects, { side, covered, base: path, type: property.type });
    }
    if (
      shapes.constant(property.type) !== undefined ||
      (side === later && objects.foreign?.has(name) === true)
    )
      return [];
    const owners = [...objects.owners[side], ...objects.owners[opposite(side)]];
    const isRequired = property.presence === "required";
    const isInside = isRequired && shapes.at(objects.types[side], path)?.presence !== "required";
    const names = [...new Set(owners)].map((owner) => [owner, ...path].join("."));
    const inner = namesOf(shapes, type).map((owner) => propertyPath([owner], [name]));
    const paths = [...names, ...inner];
    const isFilled = side === later && fillValueOf(mapper, paths) !== undefined;
    mapper.accounts.only(side, "properties", names, isRequired && !isFilled);
    if (base.length === 0 && isOneOfSome(mapper, objects, name)) {
      narrowAt(
        mapper,
        objects,
        [side, []],
        `the other version does not have ${name}, and requires one of the other members`,
      );
    }
    const isLast = side === earlier && marksLastEvent(mapper, paths);
    if (!isRequired && !isFilled && !isLast) return [];
    return [
      { ...mapper.filled(side, path, property.type, paths), ...(isInside && { inside: true }) },
    ];
  });
}

/**
 * Returns whether a member belongs to a required oneof, if the object has such a oneof in both
 * versions.
 */
function isOneOfSome(
  { shapes }: MappingContext,
  { types, foreign }: Objects,
  name: string,
): boolean {
  const [own, other] = both((side) =>
    shapes[side].message(types[side])?.oneofs.filter(({ required }) => required),
  );
  const all = [...(own ?? []), ...(other ?? [])];
  return (
    foreign === undefined &&
    own?.length === 1 &&
    other?.length === 1 &&
    all.some((one) => one.members.includes(name))
  );
}

/** Records that an object of one version can have values that the other version does not allow. */
function narrowAt(
  { accounts }: MappingContext,
  { owners }: Objects,
  [side, path]: readonly [Side, Path],
  reason: string,
): void {
  const paths = both((one) => propertyPath(owners[one], one === side ? path : []));
  accounts.narrow(side, paths, reason);
}

/**
 * Returns whether each of several alternatives has a requirement that the other alternatives do not
 * have.
 */
function requiresAny(shapes: Shapes, type: ValueType): boolean {
  const all = shapes.properties(type);
  const alternatives = shapes.alternatives(type);
  const hasOwnRequirement = (one: ValueType): boolean =>
    shapes.message(one)?.fields.some(({ name, presence }) => {
      return presence === "required" && all?.get(name)?.presence !== "required";
    }) === true;
  return alternatives.length > 1 && alternatives.every(hasOwnRequirement);
}

/**
 * Returns the groups of members of which one version accepts only one member, although the other
 * version accepts several.
 */
function exclusiveOf(
  mapper: MappingContext,
  { types, owners, foreign, present }: Objects,
  fields: readonly Member[],
): ObjectMapping["exclusive"] {
  const requiring = both((side) => requiresAny(mapper.shapes[side], types[side]));
  for (const side of bothSides)
    if (!requiring[side] && requiring[opposite(side)])
      mapper.accounts.narrow(
        side,
        both((one) => owners[one][0] ?? ""),
        "the other version requires more of its members",
      );
  const [own, other] = both((side) => {
    const [oneof] = mapper.shapes[side].message(types[side])?.oneofs ?? [];
    return foreign === undefined && present === undefined ? oneof : undefined;
  });
  if (own !== undefined || other === undefined) return undefined;
  const mapped = other.members.filter((name) =>
    fields.some(({ at }) => at[later]?.[0] === name && at[earlier] !== undefined),
  );
  if (mapped.length < 2) return undefined;
  const paths = both((side) => owners[side][0] ?? "");
  mapper.accounts.narrow(
    earlier,
    paths,
    `the other version only accepts one of ${mapped.join(", ")}`,
  );
  return [undefined, mapped];
}

/**
 * Returns the list that must not be empty in one version, because the other version requires its
 * first element.
 */
function needsOf(
  mapper: MappingContext,
  objects: Objects,
  moves: readonly Move[],
): ObjectMapping["needs"] {
  const { shapes } = mapper;
  const { types } = objects;
  for (const { at, value } of moves) {
    if (value !== "only") continue;
    const found = both((side) => shapes[side].at(types[side], at[side]));
    const list = found[earlier]?.type.kind === "list" ? earlier : later;
    const other = opposite(list);
    if (found[other]?.presence !== "required") continue;
    narrowAt(
      mapper,
      objects,
      [list, []],
      `without an element of ${at[list].join(".")}, it becomes absent`,
    );
    narrowAt(
      mapper,
      objects,
      [other, []],
      `with an empty ${at[other].join(".")}, it may become absent`,
    );
    return onlyAt(list, at[list]);
  }
  return undefined;
}

/**
 * Returns the property that may be a member of an object in the earlier version, according to the
 * manifest.
 */
function wrappedOf(
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

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, index) => other[index] === key);
}
