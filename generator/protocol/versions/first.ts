import type { ValueType } from "../model/types.js";
import type { MappingContext, Move, Objects } from "./context.js";
import { mapField } from "./fields.js";
import { isSame, namesOf, propertyPath } from "./property-paths.js";
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
  const { shapes } = mapper;
  const elements = both((side) => elementOf(mapper, objects, side, at[side]));
  const [own, listed] = elements;
  const name = listed && shapes[later].message(listed)?.name;
  const isList = own !== undefined || at[earlier] === undefined;
  if (listed === undefined || name === undefined || !isList || own === listed) return undefined;
  const moved = movedInto(mapper, objects, listed);
  if (moved.length === 0) return undefined;
  const paths = [objects.owners[earlier][0] ?? "", name] as const;
  const element = own && mapper.value(own, listed, paths);
  const list = at[later] === undefined ? [] : [at[later]];
  return {
    mapping: mappingOf(mapper, objects, { at, moved, element, listed }),
    move,
    covered: [moved.map((property) => property.at[earlier]), list],
  };
}

/** Returns the properties of the earlier object that are now properties of the list's elements. */
function movedInto(mapper: MappingContext, { types, owners }: Objects, listed: ValueType): Move[] {
  const { shapes, names } = mapper;
  const name = shapes[later].message(listed)?.name;
  const all = names.properties(new Set(owners[earlier])).filter(({ type }) => type === name);
  const moves = all.map(({ path, now }): Move => ({ at: [path, now] }));
  return moves.filter(({ at }) => {
    const isInObject = shapes[earlier].at(types[earlier], at[earlier]) !== undefined;
    return isInObject && shapes[later].at(listed, at[later]) !== undefined;
  });
}

interface ListMatch {
  readonly at: Lists["at"];
  readonly moved: readonly Move[];
  /** Conversion of the elements; absent if the earlier version has no list. */
  readonly element: Conversion | undefined;
  /** Type of the elements in the later version. */
  readonly listed: ValueType;
}

function mappingOf(
  mapper: MappingContext,
  objects: Objects,
  { at, moved, element, listed }: ListMatch,
): FirstElement {
  const inner: Objects = {
    types: [objects.types[earlier], listed],
    owners: [objects.owners[earlier], namesOf(mapper.shapes[later], listed)],
  };
  const isOwn = (move: Move): boolean =>
    element === undefined || isInElement(mapper, element, move.at[later]);
  const shared = moved.filter((move) => !isOwn(move));
  recordShared(mapper, inner, shared);
  recordList(mapper, objects, at, { isAlone: element === undefined });
  const own = moved.filter(isOwn).map((move) => withDefault(mapper, mapField(mapper, inner, move)));
  const rest = element === undefined ? restOf(mapper, inner, moved) : [];
  return {
    lists: both((side) => at[side]?.[0]),
    inObject: earlier,
    element: element ?? { kind: "same" },
    fields: [...own, ...rest],
    shared: shared.map((move) => mapField(mapper, inner, move)),
  };
}

/**
 * Records properties of which the object of the earlier version has one value. The elements of the
 * list may have different values.
 */
function recordShared(
  { accounts }: MappingContext,
  { owners }: Objects,
  shared: readonly Move[],
): void {
  const [type = ""] = owners[later];
  for (const { at } of shared) {
    accounts.carry(later, [type, ...at[later]].join("."));
    const paths = both((side) => propertyPath(owners[side], at[side]));
    accounts.narrow(later, paths, "the other version has one value for the whole list");
  }
}

/** Records the lost elements of the list. An empty list means the same as an absent list. */
function recordList(
  { accounts }: MappingContext,
  { owners }: Objects,
  at: Lists["at"],
  { isAlone }: { readonly isAlone: boolean },
): void {
  const paths = both((side) => propertyPath(owners[side], at[side] ?? []));
  if (isAlone) accounts.narrow(later, paths, "the other version only has the first element");
  else accounts.narrow(earlier, paths, "an empty list becomes absent");
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
  const names = new Set(moved.map(({ at }) => at[later].join(".")));
  const all = [...(mapper.shapes[later].properties(types[later]) ?? [])];
  const known = knownValues(mapper);
  return all.flatMap(([name, { type, presence }]): Member[] => {
    if (names.has(name)) return [];
    const value = known.get(name);
    const isRequired = presence === "required";
    const path = propertyPath(owners[later], [name]);
    mapper.accounts.only(later, "properties", [path], isRequired && value === undefined);
    if (value !== undefined)
      return [{ at: [undefined, [name]], value: { kind: "same" }, fill: [undefined, value] }];
    return isRequired ? [mapper.filled(later, [name], type, [path])] : [];
  });
}

/** Returns the values that properties of a card's interface have in the earlier version. */
function knownValues({ protocols }: MappingContext): ReadonlyMap<string | undefined, unknown> {
  const interfaces = both((side) => protocols[side].binding?.card?.interfaces ?? {});
  const { binding, version } = interfaces[later];
  return new Map<string | undefined, unknown>([
    [binding, interfaces[earlier].main?.defaultBinding],
    [version, protocols[earlier].binding?.wireVersion],
  ]);
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
function isInElement({ types }: MappingContext, element: Conversion, path: Path): boolean {
  const mapping = element.kind === "type" ? types[element.name] : undefined;
  if (mapping?.kind !== "object") return element.kind === "same";
  return mapping.fields.some(({ at }) => {
    return at[earlier] !== undefined && at[later] !== undefined && isSame(at[later], path);
  });
}

/** Adds the default binding to the field that contains the binding of the main interface. */
function withDefault({ protocols }: MappingContext, field: Member): Member {
  const { main } = protocols[earlier].binding?.card?.interfaces ?? {};
  return main?.binding === field.at[earlier]?.join(".")
    ? { ...field, fill: [field.fill?.[earlier], main?.defaultBinding] }
    : field;
}
