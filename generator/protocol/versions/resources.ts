import type { MappingContext, Move, Objects } from "./context.js";
import { propertyPath } from "./property-paths.js";
import type { Parts } from "./resource-names.js";
import { both, bothSides, onlyAt, opposite } from "./sides.js";
import type { Member, Name, Path, Side, Sides } from "./types.js";

/**
 * Returns the paths for a request that is, as a whole, the resource in one version, and contains
 * the resource in a property in the other version.
 */
export function bodyMoves({ shapes, resources }: MappingContext, types: Objects["types"]): Move[] {
  for (const side of bothSides) {
    const [type, other] = [types[side], types[opposite(side)]];
    const body = "name" in type ? resources[side].body(type.name) : undefined;
    if (body === undefined || shapes[opposite(side)].properties(other)?.has(body) === true)
      continue;
    return [{ at: both((owner) => (owner === side ? [body] : [])) }];
  }
  return [];
}

/**
 * Resource names of one version, and the additional values that the other version requires in place
 * of the ids.
 */
export interface ResourceFields {
  readonly names: readonly Name[];
  readonly fields: readonly Member[];
  /** The properties that the resource names replace, by version. */
  readonly covered: Sides<readonly Path[]>;
}

/**
 * Finds properties of one type that are resource names composed of properties of the other type.
 */
export function findResourceNames(mapper: MappingContext, objects: Objects): ResourceFields {
  const names = bothSides.flatMap((side) => namesIn(mapper, objects, side));
  const ids = (side: Side): Path[] =>
    names.flatMap((name) =>
      name.side === side ? [] : name.parts.flatMap(({ at }) => (at === undefined ? [] : [at])),
    );
  const own = (side: Side): Path[] =>
    names.flatMap((name) => (name.side === side ? [name.at] : []));
  return {
    names,
    fields: names.flatMap((name) => fillsOf(mapper, objects, name)),
    covered: both((side) => [...own(side), ...ids(side)]),
  };
}

function namesIn(mapper: MappingContext, { types, owners }: Objects, side: Side): Name[] {
  const { shapes, resources, accounts } = mapper;
  const there = opposite(side);
  const type = shapes[side].message(types[side]);
  const body = type && resources[side].body(type.name);
  const isThere = (path: Path): boolean => shapes[there].at(types[there], path) !== undefined;
  return (type?.fields ?? []).flatMap(({ name }): Name[] => {
    const pattern = type && resources[side].pattern(type.name, name);
    if (pattern === undefined || isThere([name])) return [];
    const parts = partsOf(pattern, isThere);
    if (!parts.some(({ at }) => at !== undefined)) return [];
    const found: Name[] = [{ side, at: [name], parts }];
    if (body !== undefined) found.push(...bodyName(mapper, { side, types }, body, isThere));
    for (const resource of found)
      for (const { at } of resource.parts)
        if (at !== undefined) narrow(accounts, there, owners, resource.at, at);
    return found;
  });
}

/**
 * Records the losses of a resource name: ids that contain a slash, and resource names that do not
 * match the pattern.
 */
function narrow(
  accounts: MappingContext["accounts"],
  there: Side,
  owners: Objects["owners"],
  name: Path,
  id: Path,
): void {
  const paths = both((side) => propertyPath(owners[side], side === there ? id : name));
  accounts.narrow(there, paths, "a resource name cannot contain an id with a slash");
  accounts.narrow(
    opposite(there),
    paths,
    "names of another form, and ids that differ, have no counterpart",
  );
}

/** Finds the id that a request contains next to the resource that it creates. */
function bodyName(
  { shapes, resources }: MappingContext,
  { side, types }: Pick<Objects, "types"> & { readonly side: Side },
  body: string,
  isThere: (path: Path) => boolean,
): Name[] {
  const id = `${body}Id`;
  const type = shapes[side].at(types[side], [body])?.type;
  const message = type && shapes[side].message(type);
  if (message === undefined || shapes[side].at(types[side], [id]) === undefined) return [];
  const patterns = message.fields.flatMap(
    ({ name }) => resources[side].pattern(message.name, name) ?? [],
  );
  const last = partsOf(patterns, isThere).at(-1);
  return last?.at === undefined ? [] : [{ side, at: [id], parts: [last] }];
}

/**
 * Finds the property of each id. The property is named after the kind of resource, is in an object
 * with that name, or is named `id`.
 */
function partsOf(pattern: Parts, isThere: (path: Path) => boolean): Name["parts"] {
  const taken = new Set<string>();
  return pattern.map((text, index) => {
    if (text !== "*") return { text };
    const kind = (pattern[index - 1] ?? "").replace(/s$/, "");
    const at = [[`${kind}Id`], [kind, "id"], ["id"]].find(
      (path) => isThere(path) && !taken.has(path.join(".")),
    );
    if (at === undefined) return {};
    taken.add(at.join("."));
    return { at };
  });
}

/**
 * Records ids that one version has both as properties and inside resource names. The other version
 * contains each of these ids only once.
 */
export function narrowIds(
  { accounts }: MappingContext,
  { owners }: Objects,
  { names }: ResourceFields,
  moves: readonly Move[],
): void {
  for (const { side, parts } of names)
    for (const { at: id = [] } of parts)
      for (const { at } of moves) {
        const otherPath = at[opposite(side)];
        if (
          otherPath.length === 0 ||
          id.length === 0 ||
          otherPath.some((key, index) => id[index] !== key)
        )
          continue;
        const own = [...at[side], ...id.slice(otherPath.length)];
        const paths = both((version) => propertyPath(owners[version], version === side ? own : id));
        accounts.narrow(side, paths, "the other version has only one such id");
      }
}

/**
 * Returns empty defaults for the required ids in a resource name, and for a required resource name
 * if none of its ids is required.
 */
function fillsOf(
  { shapes, accounts }: MappingContext,
  { types, owners }: Objects,
  name: Name,
): Member[] {
  const there = opposite(name.side);
  const isRequired = shapes[name.side].at(types[name.side], name.at)?.presence === "required";
  const ids = name.parts.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const required = ids.filter((at) => shapes[there].at(types[there], at)?.presence === "required");
  const note = (side: Side, id: Path): void => {
    accounts.fill(
      side,
      both((own) => propertyPath(owners[own], own === there ? id : name.at)),
    );
  };
  if (!isRequired) for (const id of required) note(name.side, id);
  const isComplete = !isRequired || required.length > 0;
  if (!isComplete) for (const id of ids) note(there, id);
  return [
    ...required.map((at) => empty(there, at)),
    ...(isComplete ? [] : [empty(name.side, name.at)]),
  ];
}

function empty(side: Side, at: Path): Member {
  return { at: onlyAt(side, at), value: { kind: "same" }, fill: onlyAt(side, "") };
}

/** Returns whether a property is a resource name that is composed of other properties. */
export function isName({ names }: ResourceFields, side: Side, path: Path): boolean {
  return names.some((name) => name.side === side && name.at.join(".") === path.join("."));
}
