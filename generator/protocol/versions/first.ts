import type { ValueType } from "../model/types.js";
import { mapField, placeOf } from "./fields.js";
import type { Mapper, Move } from "./mapper.js";
import { namesOf, type Objects } from "./objects.js";
import type { FieldMapping, FirstMapping } from "./types.js";

/** A list whose first element the earlier version has in the object, and the properties that are accounted for by it. */
export interface FoundFirst {
  readonly mapping: FirstMapping;
  /** What was known of the list itself. */
  readonly move: Move;
  /** The properties of the object in the earlier version. */
  readonly covered: readonly (readonly string[])[];
}

/**
 * Finds a list whose first element the earlier version has in the object: properties of the object that, says the
 * manifest, are now those of elements of a list.
 */
export function findFirst(mapper: Mapper, objects: Objects, moves: readonly Move[]): FoundFirst | undefined {
  for (const move of moves) {
    const found = firstIn(mapper, objects, move);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstIn(mapper: Mapper, objects: Objects, move: Move): FoundFirst | undefined {
  const { shapes, names, accounts } = mapper;
  const [list, other] = [elementOf(mapper, objects, 0, move), elementOf(mapper, objects, 1, move)];
  const [[key = ""], [otherKey = ""]] = move.at;
  const type = other && shapes[1].message(other)?.name;
  if (list === undefined || other === undefined || type === undefined || list === other) return undefined;
  const moved = names.properties(new Set(objects.owners[0])).flatMap(({ path, type: target, now }): Move[] => {
    const isThere = target === type && shapes[0].at(objects.types[0], path) !== undefined;
    return isThere && shapes[1].at(other, now) !== undefined ? [{ at: [path, now] }] : [];
  });
  if (moved.length === 0) return undefined;
  const types = [objects.types[0], other] as const;
  const inner: Objects = { types, owners: [objects.owners[0], namesOf(shapes[1], other)] };
  const element = mapper.value(list, other, [objects.owners[0][0] ?? "", type]);
  const isOwn = ({ at: [, now] }: Move): boolean => ownOf(mapper, element, now);
  for (const { at } of moved) if (!isOwn({ at })) accounts.carry(1, [type, ...at[1]].join("."));
  const shared = moved.filter((one) => !isOwn(one));
  // Elements may differ where the object has one value, and an empty list says no more than none.
  for (const { at } of shared) accounts.narrow(1, [placeOf(objects.owners[0], at[0]), placeOf([type], at[1])]);
  accounts.narrow(0, [placeOf(objects.owners[0], [key]), placeOf(objects.owners[1], [otherKey])]);
  const mapping: FirstMapping = {
    lists: [key, otherKey],
    inObject: 0,
    element,
    fields: moved.filter(isOwn).map((one) => withDefault(mapper, mapField(mapper, inner, one))),
    shared: shared.map((one) => mapField(mapper, inner, one)),
  };
  return { mapping, move, covered: moved.map(({ at }) => at[0]) };
}

function elementOf({ shapes }: Mapper, { types }: Objects, side: 0 | 1, { at }: Move): ValueType | undefined {
  const found = at[side].length === 1 ? shapes[side].at(types[side], at[side]) : undefined;
  const list = found && shapes[side].resolve(found.type);
  return list?.kind === "list" ? shapes[side].resolve(list.element) : undefined;
}

/** Returns whether elements of the list in the earlier version have a property of the later one themselves. */
function ownOf({ types }: Mapper, element: FirstMapping["element"], path: readonly string[]): boolean {
  const mapping = element.kind === "type" ? types[element.name] : undefined;
  if (mapping?.kind !== "object") return element.kind === "same";
  return mapping.fields.some(({ at: [own, other] }) => own !== undefined && other?.join(".") === path.join("."));
}

/** Adds what the absence of the binding of the main interface means. */
function withDefault({ protocols }: Mapper, field: FieldMapping): FieldMapping {
  const { main } = protocols[0].binding?.card.interfaces ?? {};
  return main?.binding === field.at[0]?.join(".") ? { ...field, fill: [field.fill?.[0], main?.defaultBinding] } : field;
}
