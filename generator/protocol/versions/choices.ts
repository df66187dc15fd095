import { findMember } from "../correlate/members.js";
import type { FieldDef, MessageDef, ValueType } from "../model/types.js";
import type { MappingContext, Move } from "./context.js";
import { mapMembers } from "./objects.js";
import { namesOf } from "./property-paths.js";
import { both, earlier, later } from "./sides.js";
import type { ChoiceMapping, ObjectMapping, Path, Side, Sides, Sign } from "./types.js";

type Alternative = ChoiceMapping["alternatives"][number];

/**
 * Returns a function that maps the alternatives of two types, at least one of which is a union;
 * `undefined` for other types. Alternatives are identified by a constant, by the members of a
 * oneof, or by members that no other alternative has.
 */
export function alternativesOf(
  mapper: MappingContext,
  types: Sides<ValueType>,
): (() => ChoiceMapping) | undefined {
  const { shapes } = mapper;
  const keys = both((side) => shapes[side].discriminator(types[side]));
  if (keys[earlier] === undefined && !hasNamesake(mapper, types)) return undefined;
  const union: Union = { type: types[earlier], key: keys[earlier] };
  const key = keys[later];
  if (key !== undefined) {
    const target = { type: types[later], key };
    return () => ({ kind: "choice", alternatives: byConstants(mapper, union, target) });
  }
  const message = shapes[later].message(types[later]);
  if (message?.oneofs.length !== 1) return undefined;
  return () => ({ kind: "choice", alternatives: byMembers(mapper, union, message) });
}

/** Type with alternatives, and the property whose constant identifies them, if any. */
interface Union {
  readonly type: ValueType;
  readonly key: string | undefined;
}

/**
 * Returns whether an alternative of the later type has the name of an alternative of the earlier
 * type. Returns `false` if the later type itself has such a name.
 */
function hasNamesake(mapper: MappingContext, types: Sides<ValueType>): boolean {
  const { shapes } = mapper;
  const alternatives = shapes[earlier].alternatives(types[earlier]);
  const message = shapes[later].message(types[later]);
  const members = message?.fields.map(({ type }) => type);
  const candidates = members ?? shapes[later].alternatives(types[later]);
  const isNamed = (target: ValueType): boolean =>
    alternatives.some((type) => areNamesakes(mapper, type, target));
  return !isNamed(types[later]) && candidates.some(isNamed);
}

/** Returns whether two types have the same name, directly or according to the manifest. */
function areNamesakes({ shapes, names }: MappingContext, from: ValueType, to: ValueType): boolean {
  const name = shapes[later].message(to)?.name;
  if (name === undefined || shapes[earlier].message(from) === undefined) return false;
  return namesOf(shapes[earlier], from).some((old) => old === name || names.type(old) === name);
}

function constantOf(
  { shapes }: MappingContext,
  side: Side,
  type: ValueType,
  key: string,
): string | undefined {
  const found = shapes[side].properties(type)?.get(key);
  return found && shapes[side].constant(found.type);
}

/**
 * Returns the feature that distinguishes an alternative of the earlier version from the other
 * alternatives.
 */
function signOf(mapper: MappingContext, { type: union, key }: Union, type: ValueType): Sign {
  if (key !== undefined) return { key, value: constantOf(mapper, earlier, type, key) ?? "" };
  const shapes = mapper.shapes[earlier];
  const others = shapes.alternatives(union).filter((alternative) => alternative !== type);
  const isShared = (name: string): boolean =>
    others.some((alternative) => shapes.properties(alternative)?.has(name) === true);
  const members: string[] = [];
  for (const [name, { presence }] of shapes.properties(type) ?? [])
    if (presence === "required" && !isShared(name)) members.push(name);
  return { members };
}

/** Maps the alternatives of a union to a union whose alternatives have different constants. */
function byConstants(
  mapper: MappingContext,
  union: Union,
  target: Union & { readonly key: string },
): Alternative[] {
  const { shapes, accounts } = mapper;
  const { key } = union;
  const valueOf = (type: ValueType): string | undefined =>
    constantOf(mapper, later, type, target.key);
  const isSameAlternative = (from: ValueType, to: ValueType): boolean =>
    key === undefined
      ? areNamesakes(mapper, from, to)
      : constantOf(mapper, earlier, from, key) === valueOf(to);
  const targets = shapes[later].alternatives(target.type);
  const mapped = new Set<ValueType>();
  const found = shapes[earlier].alternatives(union.type).flatMap((from): Alternative[] => {
    const to = targets.find((type) => isSameAlternative(from, type));
    const names = namesOf(shapes[earlier], from);
    if (to === undefined) {
      accounts.only(earlier, "types", names);
      return [];
    }
    mapped.add(to);
    const [newName = ""] = namesOf(shapes[later], to);
    const value = mapper.value(from, to, [names[0] ?? "", newName]);
    const sign = { key: target.key, value: valueOf(to) ?? "" };
    const fields = [{ at: [[], []], value }] as const;
    const when = [signOf(mapper, union, from), sign] as const;
    return [{ kind: "object", fields, constants: [{}, {}], when }];
  });
  for (const type of targets)
    if (!mapped.has(type)) accounts.only(later, "types", namesOf(shapes[later], type));
  return found;
}

/** The members of a oneof that represent an alternative, with their paths. */
interface Group {
  readonly type: ValueType;
  readonly members: string[];
  readonly moves: Move[];
}

/** Maps the alternatives of a union to an object with a oneof. */
function byMembers(mapper: MappingContext, union: Union, message: MessageDef): Alternative[] {
  const { shapes, accounts } = mapper;
  const groups = new Map<ValueType, Group>();
  const members = message.fields.filter(({ oneof }) => oneof !== undefined);
  for (const field of members) {
    const found = carriedBy(mapper, union, message, field);
    if (found === undefined) {
      accounts.only(later, "properties", [`${message.name}.${field.name}`]);
      continue;
    }
    const group = groups.get(found.type) ?? { type: found.type, members: [], moves: [] };
    groups.set(found.type, group);
    group.members.push(field.name);
    group.moves.push({ at: [found.path, [field.name]] });
  }
  for (const type of shapes[earlier].alternatives(union.type))
    if (!groups.has(type)) accounts.only(earlier, "types", namesOf(shapes[earlier], type));
  return [...groups.values()].map((group) => ({
    ...alternativeOf(mapper, group, message, members),
    when: [signOf(mapper, union, group.type), { members: group.members }],
  }));
}

function alternativeOf(
  mapper: MappingContext,
  group: Group,
  message: MessageDef,
  members: readonly FieldDef[],
): ObjectMapping {
  const { type, moves } = group;
  const own = new Set(group.members);
  const foreign = new Set(members.map(({ name }) => name).filter((name) => !own.has(name)));
  const reference = { kind: "message", name: message.name } as const;
  const present = own.size === 1 ? own : new Set<string>();
  if (own.size > 1 && moves.some((move) => isInOneObject(mapper, type, move))) {
    const [name = ""] = namesOf(mapper.shapes[earlier], type);
    const reason = `the other version requires one of ${group.members.join(", ")}`;
    mapper.accounts.narrow(earlier, [name, message.name], reason);
  }
  return mapMembers(mapper, [type, reference], { moves, foreign, present });
}

/** Returns whether the object with a moved property has no alternatives in the earlier version. */
function isInOneObject({ shapes }: MappingContext, type: ValueType, { at }: Move): boolean {
  const around = shapes[earlier].at(type, at[earlier].slice(0, -1));
  return around !== undefined && shapes[earlier].alternatives(around.type).length === 1;
}

/** Alternative of the earlier version, and the path of a value in it. */
interface Carrier {
  readonly type: ValueType;
  readonly path: Path;
}

/**
 * Finds the alternative that a member of a oneof represents: by its name, or according to the
 * manifest.
 */
function carriedBy(
  mapper: MappingContext,
  { type: union, key }: Union,
  message: MessageDef,
  field: FieldDef,
): Carrier | undefined {
  const shapes = mapper.shapes[earlier];
  const alternatives = shapes.alternatives(union);
  const namesake = alternatives.find((type) => areNamesakes(mapper, type, field.type));
  if (key === undefined) return namesake && { type: namesake, path: [] };
  const found = findMember(field, alternatives, { shapes, key, hint: undefined });
  if (found === undefined || Array.isArray(found))
    return movedTo(mapper, union, message, field.name);
  // If the alternative has more members than the value, the member with the name of the field
  // contains the value.
  const { type, path } = found;
  const isInside = path.length === 0 && shapes.properties(type)?.has(field.name) === true;
  return { type, path: isInside ? [field.name] : path };
}

/** Finds the alternative with the property that is now a member of a oneof. */
function movedTo(
  { shapes, names }: MappingContext,
  union: ValueType,
  message: MessageDef,
  member: string,
): Carrier | undefined {
  const owners = new Set([...namesOf(shapes[earlier], union), message.name]);
  for (const { path, type: owner, now } of names.properties(owners)) {
    if (owner !== message.name || now.join(".") !== member) continue;
    const alternatives = shapes[earlier].alternatives(union);
    const fitting = alternatives.find((type) => shapes[earlier].at(type, path) !== undefined);
    if (fitting !== undefined) return { type: fitting, path };
  }
  return undefined;
}
