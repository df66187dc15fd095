import { findMember } from "../correlate/members.js";
import type { FieldDef, MessageDef, ValueType } from "../model/types.js";
import type { Mapper, Move } from "./mapper.js";
import { mapMembers, namesOf } from "./objects.js";
import type { ChoiceMapping, ObjectMapping, Sides } from "./types.js";

type Alternative = ChoiceMapping["alternatives"][number];

/** Returns how alternatives by a constant follow from each other, or from the members of a oneof; `undefined` for other types. */
export function alternativesOf(mapper: Mapper, types: Sides<ValueType>): (() => ChoiceMapping) | undefined {
  const [a, b] = types;
  const [key, other] = [mapper.shapes[0].discriminator(a), mapper.shapes[1].discriminator(b)];
  if (key === undefined) return undefined;
  if (other !== undefined) return () => ({ kind: "choice", alternatives: byConstants(mapper, types, [key, other]) });
  const message = mapper.shapes[1].message(b);
  if (message?.oneofs.length !== 1) return undefined;
  return () => ({ kind: "choice", alternatives: byMembers(mapper, a, message, key) });
}

const constantOf = (mapper: Mapper, side: 0 | 1, type: ValueType, key: string): string | undefined => {
  const found = mapper.shapes[side].properties(type)?.get(key);
  return found && mapper.shapes[side].constant(found.type);
};

function byConstants(mapper: Mapper, [a, b]: Sides<ValueType>, keys: Sides<string>): Alternative[] {
  const { shapes, accounts } = mapper;
  const others = new Map(
    shapes[1].alternatives(b).map((type) => [constantOf(mapper, 1, type, keys[1]), type] as const),
  );
  const met = new Set<ValueType>();
  const found = shapes[0].alternatives(a).flatMap((type): Alternative[] => {
    const value = constantOf(mapper, 0, type, keys[0]) ?? "";
    const other = others.get(value);
    const names = [namesOf(shapes[0], type), other === undefined ? [] : namesOf(shapes[1], other)] as const;
    if (other === undefined) accounts.only(0, "types", names[0]);
    if (other === undefined) return [];
    met.add(other);
    const conversion = mapper.value(type, other, [names[0][0] ?? "", names[1][0] ?? ""]);
    const when = [
      { key: keys[0], value },
      { key: keys[1], value },
    ] as const;
    return [{ ...whole([[], []], conversion), when }];
  });
  for (const type of others.values()) if (!met.has(type)) accounts.only(1, "types", namesOf(shapes[1], type));
  return found;
}

/** The members of a oneof that carry an alternative, and where. */
interface Group {
  readonly type: ValueType;
  readonly constant: string;
  readonly members: string[];
  readonly moves: Move[];
}

function byMembers(mapper: Mapper, a: ValueType, message: MessageDef, key: string): Alternative[] {
  const { shapes, accounts } = mapper;
  const alternatives = shapes[0].alternatives(a);
  const groups = new Map<ValueType, Group>();
  const members = message.fields.filter(({ oneof }) => oneof !== undefined);
  for (const field of members) {
    const found = carriedBy(mapper, [a, message], field, key);
    if (found === undefined) accounts.only(1, "properties", [`${message.name}.${field.name}`]);
    else {
      const constant = constantOf(mapper, 0, found.type, key) ?? "";
      const group = groups.get(found.type) ?? { type: found.type, constant, members: [], moves: [] };
      groups.set(found.type, group);
      group.members.push(field.name);
      group.moves.push({ at: [found.path, [field.name]] });
    }
  }
  for (const type of alternatives) if (!groups.has(type)) accounts.only(0, "types", namesOf(shapes[0], type));
  return [...groups.values()].map((group) => ({
    ...alternativeOf(mapper, group, message, members),
    when: [{ key, value: group.constant }, { members: group.members }],
  }));
}

function alternativeOf(mapper: Mapper, group: Group, message: MessageDef, members: readonly FieldDef[]): ObjectMapping {
  const { type, moves } = group;
  const own = new Set(group.members);
  const foreign = new Set(members.map(({ name }) => name).filter((name) => !own.has(name)));
  const reference = { kind: "message", name: message.name } as const;
  const present = own.size === 1 ? own : new Set<string>();
  return mapMembers(mapper, [type, reference], { moves, foreign, present });
}

/** Finds the alternative that a member of a oneof carries: by its name, or as the manifest says. */
function carriedBy(mapper: Mapper, [a, message]: readonly [ValueType, MessageDef], field: FieldDef, key: string) {
  const { shapes, names } = mapper;
  const alternatives = shapes[0].alternatives(a);
  const found = findMember(field, alternatives, { shapes: shapes[0], key, hint: undefined });
  if (found !== undefined && !Array.isArray(found)) return { type: found.type, path: found.path };
  const owners = new Set([...namesOf(shapes[0], a), message.name]);
  for (const { path, type, now } of names.properties(owners)) {
    if (type !== message.name || now.join(".") !== field.name) continue;
    const fitting = alternatives.find((one) => shapes[0].at(one, path) !== undefined);
    if (fitting !== undefined) return { type: fitting, path };
  }
  return undefined;
}

function whole(at: Move["at"], value: Alternative["fields"][number]["value"]): ObjectMapping {
  return { kind: "object", fields: [{ at, value }], constants: [{}, {}] };
}
