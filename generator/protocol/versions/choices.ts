import { findMember } from "../correlate/members.js";
import type { FieldDef, MessageDef, ValueType } from "../model/types.js";
import type { MappingContext, Move } from "./context.js";
import { mapMembers } from "./objects.js";
import { namesOf } from "./property-paths.js";
import { earlier, later } from "./sides.js";
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
  const [a, b] = types;
  const [key, other] = [
    mapper.shapes[earlier].discriminator(a),
    mapper.shapes[later].discriminator(b),
  ];
  if (key === undefined && !hasNamesake(mapper, types)) return undefined;
  if (other !== undefined)
    return () => ({ kind: "choice", alternatives: byConstants(mapper, types, [key, other]) });
  const message = mapper.shapes[later].message(b);
  if (message?.oneofs.length !== 1) return undefined;
  return () => ({ kind: "choice", alternatives: byMembers(mapper, a, message, key) });
}

/**
 * Returns whether an alternative of the later type has the name of an alternative of the earlier
 * type. Returns `false` if the later type itself has such a name.
 */
function hasNamesake(mapper: MappingContext, [a, b]: Sides<ValueType>): boolean {
  const { shapes } = mapper;
  const message = shapes[later].message(b);
  const members =
    message === undefined ? shapes[later].alternatives(b) : message.fields.map(({ type }) => type);
  const isSame = shapes[earlier].alternatives(a).some((type) => areNamesakes(mapper, type, b));
  return (
    !isSame &&
    shapes[earlier]
      .alternatives(a)
      .some((type) => members.some((one) => areNamesakes(mapper, type, one)))
  );
}

/** Returns whether two types have the same name, directly or according to the manifest. */
function areNamesakes(
  { shapes, names }: MappingContext,
  one: ValueType,
  other: ValueType,
): boolean {
  const message = shapes[later].message(other);
  const owners = shapes[earlier].message(one) === undefined ? [] : namesOf(shapes[earlier], one);
  return owners.some(
    (name) => message !== undefined && [name, names.type(name)].includes(message.name),
  );
}

const constantOf = (
  mapper: MappingContext,
  side: Side,
  type: ValueType,
  key: string,
): string | undefined => {
  const found = mapper.shapes[side].properties(type)?.get(key);
  return found && mapper.shapes[side].constant(found.type);
};

/**
 * Returns the feature that distinguishes an alternative of the earlier version from the other
 * alternatives.
 */
function signOf(
  mapper: MappingContext,
  a: ValueType,
  type: ValueType,
  key: string | undefined,
): Sign {
  if (key !== undefined) return { key, value: constantOf(mapper, earlier, type, key) ?? "" };
  const shapes = mapper.shapes[earlier];
  const others = shapes.alternatives(a).filter((one) => one !== type);
  const required = [...(shapes.properties(type) ?? [])].filter(
    ([, { presence }]) => presence === "required",
  );
  const own = required.filter(
    ([name]) => !others.some((one) => shapes.properties(one)?.has(name) === true),
  );
  return { members: own.map(([name]) => name) };
}

function byConstants(
  mapper: MappingContext,
  [a, b]: Sides<ValueType>,
  [key, otherKey]: readonly [string | undefined, string],
): Alternative[] {
  const { shapes, accounts } = mapper;
  const others = shapes[later].alternatives(b);
  const isOther = (type: ValueType, other: ValueType): boolean =>
    key === undefined
      ? areNamesakes(mapper, type, other)
      : constantOf(mapper, earlier, type, key) === constantOf(mapper, later, other, otherKey);
  const met = new Set<ValueType>();
  const found = shapes[earlier].alternatives(a).flatMap((type): Alternative[] => {
    const other = others.find((one) => isOther(type, one));
    const names = [
      namesOf(shapes[earlier], type),
      other === undefined ? [] : namesOf(shapes[later], other),
    ] as const;
    if (other === undefined) accounts.only(earlier, "types", names[earlier]);
    if (other === undefined) return [];
    met.add(other);
    const conversion = mapper.value(type, other, [names[earlier][0] ?? "", names[later][0] ?? ""]);
    const value = constantOf(mapper, later, other, otherKey) ?? "";
    const when = [signOf(mapper, a, type, key), { key: otherKey, value }] as const;
    return [{ ...wholeValue([[], []], conversion), when }];
  });
  for (const type of others)
    if (!met.has(type)) accounts.only(later, "types", namesOf(shapes[later], type));
  return found;
}

/** The members of a oneof that represent an alternative, with their paths. */
interface Group {
  readonly type: ValueType;
  readonly members: string[];
  readonly moves: Move[];
}

function byMembers(
  mapper: MappingContext,
  a: ValueType,
  message: MessageDef,
  key: string | undefined,
): Alternative[] {
  const { shapes, accounts } = mapper;
  const alternatives = shapes[earlier].alternatives(a);
  const groups = new Map<ValueType, Group>();
  const members = message.fields.filter(({ oneof }) => oneof !== undefined);
  for (const field of members) {
    const found = carriedBy(mapper, [a, message], field, key);
    if (found === undefined) accounts.only(later, "properties", [`${message.name}.${field.name}`]);
    else {
      const group = groups.get(found.type) ?? { type: found.type, members: [], moves: [] };
      groups.set(found.type, group);
      group.members.push(field.name);
      group.moves.push({ at: [found.path, [field.name]] });
    }
  }
  for (const type of alternatives)
    if (!groups.has(type)) accounts.only(earlier, "types", namesOf(shapes[earlier], type));
  return [...groups.values()].map((group) => ({
    ...alternativeOf(mapper, group, message, members),
    when: [signOf(mapper, a, group.type, key), { members: group.members }],
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
  const around = moves.map(
    ({ at: [path] }) => mapper.shapes[earlier].at(type, path.slice(0, -1))?.type,
  );
  if (
    own.size > 1 &&
    around.some((one) => one !== undefined && mapper.shapes[earlier].alternatives(one).length === 1)
  )
    mapper.accounts.narrow(
      earlier,
      [namesOf(mapper.shapes[earlier], type)[0] ?? "", message.name],
      `the other version requires one of ${group.members.join(", ")}`,
    );
  return mapMembers(mapper, [type, reference], { moves, foreign, present });
}

/**
 * Finds the alternative that a member of a oneof represents: by its name, or according to the
 * manifest.
 */
function carriedBy(
  mapper: MappingContext,
  [a, message]: readonly [ValueType, MessageDef],
  field: FieldDef,
  key: string | undefined,
): { readonly type: ValueType; readonly path: Path } | undefined {
  const { shapes, names } = mapper;
  const alternatives = shapes[earlier].alternatives(a);
  const namesake = alternatives.find((type) => areNamesakes(mapper, type, field.type));
  if (key === undefined) return namesake && { type: namesake, path: [] };
  const found = findMember(field, alternatives, { shapes: shapes[earlier], key, hint: undefined });
  if (found !== undefined && !Array.isArray(found)) {
    // If the alternative has more members than the value, the member with the name of the field
    // contains the value.
    const inner =
      found.path.length === 0 && shapes[earlier].properties(found.type)?.has(field.name) === true;
    return { type: found.type, path: inner ? [field.name] : found.path };
  }
  const owners = new Set([...namesOf(shapes[earlier], a), message.name]);
  for (const { path, type, now } of names.properties(owners)) {
    if (type !== message.name || now.join(".") !== field.name) continue;
    const fitting = alternatives.find((one) => shapes[earlier].at(one, path) !== undefined);
    if (fitting !== undefined) return { type: fitting, path };
  }
  return undefined;
}

function wholeValue(at: Move["at"], value: Alternative["fields"][number]["value"]): ObjectMapping {
  return { kind: "object", fields: [{ at, value }], constants: [{}, {}] };
}
