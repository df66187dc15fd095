import type { ValueType } from "../model/types.js";
import { mapField, placeOf } from "./fields.js";
import type { Mapper, Move } from "./mapper.js";
import { namesOf, type Objects } from "./objects.js";
import type { Conversion, FieldMapping, FirstMapping, Path, Sides } from "./types.js";

/** A list whose first element the earlier version has in the object, and the properties that are accounted for by it. */
export interface FoundFirst {
  readonly mapping: FirstMapping;
  /** What was known of the list itself; absent where the earlier version has none. */
  readonly move: Move | undefined;
  /** The properties that are accounted for, by version. */
  readonly covered: Sides<readonly Path[]>;
}

/** A list of the later version, and that of the earlier one, if it has one. */
interface Lists {
  readonly at: Sides<Path | undefined>;
  readonly move: Move | undefined;
}

/**
 * Finds a list whose first element the earlier version has in the object: properties of the object that, says the
 * manifest, are now those of elements of a list.
 */
export function findFirst(mapper: Mapper, objects: Objects, moves: readonly Move[]): FoundFirst | undefined {
  const names = [...(mapper.shapes[1].properties(objects.types[1])?.keys() ?? [])];
  const rest = names.filter((name) => !moves.some(({ at: [, [first]] }) => first === name));
  const lists: Lists[] = [
    ...moves.map((move) => ({ at: move.at, move })),
    ...rest.map((name) => ({ at: [undefined, [name]] as const, move: undefined })),
  ];
  for (const list of lists) {
    const found = firstIn(mapper, objects, list);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstIn(mapper: Mapper, objects: Objects, { at, move }: Lists): FoundFirst | undefined {
  const { shapes, names } = mapper;
  const [list, other] = [elementOf(mapper, objects, 0, at[0]), elementOf(mapper, objects, 1, at[1])];
  const type = other && shapes[1].message(other)?.name;
  if (other === undefined || type === undefined || (list === undefined && at[0] !== undefined)) return undefined;
  if (list === other) return undefined;
  const moved = names.properties(new Set(objects.owners[0])).flatMap(({ path, type: target, now }): Move[] => {
    const isThere = target === type && shapes[0].at(objects.types[0], path) !== undefined;
    return isThere && shapes[1].at(other, now) !== undefined ? [{ at: [path, now] }] : [];
  });
  if (moved.length === 0) return undefined;
  const element = list && mapper.value(list, other, [objects.owners[0][0] ?? "", type]);
  const mapping = mappingOf(mapper, objects, { at, moved, element, other });
  return { mapping, move, covered: [moved.map((one) => one.at[0]), at[1] === undefined ? [] : [at[1]]] };
}

interface Found {
  readonly at: Lists["at"];
  readonly moved: readonly Move[];
  readonly element: Conversion | undefined;
  readonly other: ValueType;
}

function mappingOf(mapper: Mapper, objects: Objects, { at, moved, element, other }: Found): FirstMapping {
  const { shapes, accounts } = mapper;
  const types = [objects.types[0], other] as const;
  const inner: Objects = { types, owners: [objects.owners[0], namesOf(shapes[1], other)] };
  const type = inner.owners[1][0] ?? "";
  const isOwn = ({ at: [, now] }: Move): boolean => element === undefined || ownOf(mapper, element, now);
  for (const one of moved) if (!isOwn(one)) accounts.carry(1, [type, ...one.at[1]].join("."));
  const shared = moved.filter((one) => !isOwn(one));
  // Elements may differ where the object has one value, and an empty list says no more than none.
  for (const one of shared) {
    const each = [placeOf(objects.owners[0], one.at[0]), placeOf([type], one.at[1])] as const;
    accounts.narrow(1, each, "the other version has one value for the whole list");
  }
  const place = [placeOf(objects.owners[0], at[0] ?? []), placeOf(objects.owners[1], at[1] ?? [])] as const;
  const isAlone = element === undefined;
  const reason = isAlone ? "the other version has the first one alone" : "an empty list arrives as an absent one";
  accounts.narrow(isAlone ? 1 : 0, place, reason);
  const fields = moved.filter(isOwn).map((one) => withDefault(mapper, mapField(mapper, inner, one)));
  return {
    lists: [at[0]?.[0], at[1]?.[0]],
    inObject: 0,
    element: element ?? { kind: "same" },
    fields: element === undefined ? [...fields, ...restOf(mapper, inner, moved)] : fields,
    shared: shared.map((one) => mapField(mapper, inner, one)),
  };
}

/** Returns what stands for the properties of elements that the object of the earlier version does not have. */
function restOf(mapper: Mapper, { types, owners }: Objects, moved: readonly Move[]): FieldMapping[] {
  const { shapes, protocols, accounts } = mapper;
  const [earlier, { binding, version } = {}] = protocols.map((one) => one.binding?.card.interfaces ?? {});
  const known: Readonly<Record<string, unknown>> = {
    ...(binding !== undefined && { [binding]: earlier?.main?.defaultBinding }),
    ...(version !== undefined && { [version]: protocols[0].binding?.wireVersion }),
  };
  const isMoved = (name: string): boolean => moved.some(({ at: [, now] }) => now.join(".") === name);
  const rest = [...(shapes[1].properties(types[1]) ?? [])].filter(([name]) => !isMoved(name));
  return rest.flatMap(([name, { type, presence }]): FieldMapping[] => {
    const value = known[name];
    const isRequired = presence === "required";
    accounts.only(1, "properties", [placeOf(owners[1], [name])], isRequired && value === undefined);
    if (value !== undefined) return [{ at: [undefined, [name]], value: { kind: "same" }, fill: [undefined, value] }];
    return isRequired ? [mapper.filled(1, [name], type, [placeOf(owners[1], [name])])] : [];
  });
}

function elementOf({ shapes }: Mapper, { types }: Objects, side: 0 | 1, path: Path | undefined): ValueType | undefined {
  const found = path?.length === 1 ? shapes[side].at(types[side], path) : undefined;
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
