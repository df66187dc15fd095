import type { ValueType } from "../model/types.js";
import type { MappingContext, Move, Objects } from "./context.js";
import { mapField } from "./fields.js";
import { namesOf, propertyPath } from "./property-paths.js";
import { both, earlier, later } from "./sides.js";
import type { Conversion, Member, FirstElement, Path, Side, Sides } from "./types.js";

/**
 * A list whose first element is part of the object in the earlier version, and the properties that
 * its mapping covers.
 */
export interface FirstElementMatch {
  readonly mapping: FirstElement;
  /** The paths of the list itself in each version; absent if the earlier version has no list. */
  readonly move: Move | undefined;
  /** Properties that the mapping of the list covers, by version. */
  readonly covered: Sides<readonly Path[]>;
}

/** A list in the later version, and its counterpart in the earlier version, if any. */
interface Lists {
  readonly at: Sides<Path | undefined>;
  readonly move: Move | undefined;
}

/**
 * Finds a list whose first element is part of the object in the earlier version, such as the
 * interfaces of an agent card. According to the manifest, properties of that object are now
 * properties of the list's elements.
 */
export function findFirstElement(
  mapper: MappingContext,
  objects: Objects,
  moves: readonly Move[],
): FirstElementMatch | undefined {
  const names = [...(mapper.shapes[later].properties(objects.types[later])?.keys() ?? [])];
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

function firstIn(
  mapper: MappingContext,
  objects: Objects,
  { at, move }: Lists,
): FirstElementMatch | undefined {
  const { shapes, names } = mapper;
  const [list, other] = both((side) => elementOf(mapper, objects, side, at[side]));
  const type = other && shapes[later].message(other)?.name;
  if (
    other === undefined ||
    type === undefined ||
    (list === undefined && at[earlier] !== undefined)
  )
    return undefined;
  if (list === other) return undefined;
  const moved = names
    .properties(new Set(objects.owners[earlier]))
    .flatMap(({ path, type: target, now }): Move[] => {
      const isThere =
        target === type && shapes[earlier].at(objects.types[earlier], path) !== undefined;
      return isThere && shapes[later].at(other, now) !== undefined ? [{ at: [path, now] }] : [];
    });
  if (moved.length === 0) return undefined;
  const element = list && mapper.value(list, other, [objects.owners[earlier][0] ?? "", type]);
  const mapping = mappingOf(mapper, objects, { at, moved, element, other });
  return {
    mapping,
    move,
    covered: [moved.map((one) => one.at[earlier]), at[later] === undefined ? [] : [at[later]]],
  };
}

interface ListMatch {
  readonly at: Lists["at"];
  readonly moved: readonly Move[];
  readonly element: Conversion | undefined;
  readonly other: ValueType;
}

function mappingOf(
  mapper: MappingContext,
  objects: Objects,
  { at, moved, element, other }: ListMatch,
): FirstElement {
  const { shapes, accounts } = mapper;
  const types = [objects.types[earlier], other] as const;
  const inner: Objects = {
    types,
    owners: [objects.owners[earlier], namesOf(shapes[later], other)],
  };
  const type = inner.owners[later][0] ?? "";
  const isOwn = ({ at: [, now] }: Move): boolean =>
    element === undefined || ownOf(mapper, element, now);
  for (const one of moved)
    if (!isOwn(one)) accounts.carry(later, [type, ...one.at[later]].join("."));
  const shared = moved.filter((one) => !isOwn(one));
  // The elements of the list may have different values, but the object has only one value. An empty
  // list means the same as an absent list.
  for (const one of shared) {
    const each = [
      propertyPath(objects.owners[earlier], one.at[earlier]),
      propertyPath([type], one.at[later]),
    ] as const;
    accounts.narrow(later, each, "the other version has one value for the whole list");
  }
  const paths = both((side) => propertyPath(objects.owners[side], at[side] ?? []));
  const isAlone = element === undefined;
  const reason = isAlone
    ? "the other version only has the first element"
    : "an empty list becomes absent";
  accounts.narrow(isAlone ? later : earlier, paths, reason);
  const fields = moved
    .filter(isOwn)
    .map((one) => withDefault(mapper, mapField(mapper, inner, one)));
  return {
    lists: both((side) => at[side]?.[0]),
    inObject: earlier,
    element: element ?? { kind: "same" },
    fields: element === undefined ? [...fields, ...restOf(mapper, inner, moved)] : fields,
    shared: shared.map((one) => mapField(mapper, inner, one)),
  };
}

/**
 * Returns the mappings that set properties of the elements that the object of the earlier version
 * does not have.
 */
function restOf(
  mapper: MappingContext,
  { types, owners }: Objects,
  moved: readonly Move[],
): Member[] {
  const { shapes, protocols, accounts } = mapper;
  const [old, { binding, version }] = both(
    (side) => protocols[side].binding?.card.interfaces ?? {},
  );
  const known: Readonly<Record<string, unknown>> = {
    ...(binding !== undefined && { [binding]: old.main?.defaultBinding }),
    ...(version !== undefined && { [version]: protocols[earlier].binding?.wireVersion }),
  };
  const isMoved = (name: string): boolean =>
    moved.some(({ at: [, now] }) => now.join(".") === name);
  const rest = [...(shapes[later].properties(types[later]) ?? [])].filter(
    ([name]) => !isMoved(name),
  );
  return rest.flatMap(([name, { type, presence }]): Member[] => {
    const value = known[name];
    const isRequired = presence === "required";
    accounts.only(
      later,
      "properties",
      [propertyPath(owners[later], [name])],
      isRequired && value === undefined,
    );
    if (value !== undefined)
      return [{ at: [undefined, [name]], value: { kind: "same" }, fill: [undefined, value] }];
    return isRequired
      ? [mapper.filled(later, [name], type, [propertyPath(owners[later], [name])])]
      : [];
  });
}

function elementOf(
  { shapes }: MappingContext,
  { types }: Objects,
  side: Side,
  path: Path | undefined,
): ValueType | undefined {
  const found = path?.length === 1 ? shapes[side].at(types[side], path) : undefined;
  const list = found && shapes[side].resolve(found.type);
  return list?.kind === "list" ? shapes[side].resolve(list.element) : undefined;
}

/**
 * Returns whether the elements of the list in the earlier version already have a property of the
 * later version.
 */
function ownOf(
  { types }: MappingContext,
  element: FirstElement["element"],
  path: readonly string[],
): boolean {
  const mapping = element.kind === "type" ? types[element.name] : undefined;
  if (mapping?.kind !== "object") return element.kind === "same";
  return mapping.fields.some(
    ({ at: [own, other] }) => own !== undefined && other?.join(".") === path.join("."),
  );
}

/** Adds the default binding to the field that contains the binding of the main interface. */
function withDefault({ protocols }: MappingContext, field: Member): Member {
  const { main } = protocols[earlier].binding?.card.interfaces ?? {};
  return main?.binding === field.at[earlier]?.join(".")
    ? { ...field, fill: [field.fill?.[earlier], main?.defaultBinding] }
    : field;
}
