import type { Shapes } from "../correlate/shape.js";
import type { OperationDef, Protocol, TypeRef } from "../model/types.js";
import { placeOf } from "./fields.js";
import type { Mapper, Move } from "./mapper.js";
import type { Objects } from "./objects.js";
import type { FieldMapping, NameMapping, Path, Side, Sides } from "./types.js";

type Parts = readonly string[];

/** Knows the properties of a version that are names made of ids: its routes say so. */
export class ResourceNames {
  readonly #patterns = new Map<string, Parts>();
  readonly #bodies = new Map<string, string>();

  constructor({ operations }: Protocol, shapes: Shapes) {
    for (const operation of operations) this.#read(operation, shapes);
  }

  /** Returns the segments of a name, with `*` for each id. */
  pattern(type: string, property: string): Parts | undefined {
    return this.#patterns.get(placeOf([type], [property]));
  }

  /** Returns the property of a request that holds the resource. */
  body(type: string): string | undefined {
    return this.#bodies.get(type);
  }

  #read({ request, response, http }: OperationDef, shapes: Shapes): void {
    const route = http.find(({ use }) => use === undefined);
    const type = nameOf(request);
    const has = (owner: string, name: string): boolean =>
      shapes.properties(shapes.reference(owner))?.has(name) === true;
    for (const [, name = "", pattern = ""] of route?.path.matchAll(/\{(\w+)=([^}]*\/\*[^}]*)\}/g) ?? [])
      for (const owner of [type, nameOf(response)])
        if (has(owner, name)) this.#patterns.set(placeOf([owner], [name]), pattern.split("/"));
    if (route?.body !== undefined && has(type, route.body)) this.#bodies.set(type, route.body);
  }
}

function nameOf(ref: TypeRef): string {
  return ref.kind === "named" ? ref.name : "";
}

/** Returns the move of the whole of a request into the property that has the resource in the other version. */
export function bodyMoves({ shapes, resources }: Mapper, types: Objects["types"]): Move[] {
  for (const side of [0, 1] as const) {
    const [type, other] = [types[side], types[side === 0 ? 1 : 0]];
    const body = "name" in type ? resources[side].body(type.name) : undefined;
    if (body === undefined || shapes[side === 0 ? 1 : 0].properties(other)?.has(body) === true) continue;
    return [{ at: side === 0 ? [[body], []] : [[], [body]] }];
  }
  return [];
}

/** Names of one version, and what else has to stand where the other has their ids. */
export interface FoundNames {
  readonly names: readonly NameMapping[];
  readonly fields: readonly FieldMapping[];
  /** The properties that are accounted for, by version. */
  readonly covered: Sides<readonly Path[]>;
}

/** Finds the properties of one of two types that are names made of properties of the other. */
export function findNames(mapper: Mapper, objects: Objects): FoundNames {
  const names = ([0, 1] as const).flatMap((side) => namesIn(mapper, objects, side));
  const ids = (side: Side): Path[] =>
    names.flatMap((name) => (name.side === side ? [] : name.parts.flatMap(({ at }) => (at === undefined ? [] : [at]))));
  const own = (side: Side): Path[] => names.flatMap((name) => (name.side === side ? [name.at] : []));
  return {
    names,
    fields: names.flatMap((name) => fillsOf(mapper, objects, name)),
    covered: [
      [...own(0), ...ids(0)],
      [...own(1), ...ids(1)],
    ],
  };
}

function namesIn(mapper: Mapper, { types, owners }: Objects, side: Side): NameMapping[] {
  const { shapes, resources, accounts } = mapper;
  const there = side === 0 ? 1 : 0;
  const type = shapes[side].message(types[side]);
  const body = type && resources[side].body(type.name);
  const isThere = (path: Path): boolean => shapes[there].at(types[there], path) !== undefined;
  return (type?.fields ?? []).flatMap(({ name }): NameMapping[] => {
    const pattern = type && resources[side].pattern(type.name, name);
    if (pattern === undefined || isThere([name])) return [];
    const parts = partsOf(pattern, isThere);
    if (!parts.some(({ at }) => at !== undefined)) return [];
    const found: NameMapping[] = [{ side, at: [name], parts }];
    if (body !== undefined) found.push(...bodyName(mapper, { side, types }, body, isThere));
    for (const one of found)
      for (const { at } of one.parts) if (at !== undefined) narrow(accounts, there, owners, one.at, at);
    return found;
  });
}

/** Notes that an id cannot have a slash, and that a name has to be one. */
function narrow(accounts: Mapper["accounts"], there: Side, owners: Objects["owners"], name: Path, id: Path): void {
  const places = [placeOf(owners[0], there === 0 ? id : name), placeOf(owners[1], there === 1 ? id : name)] as const;
  accounts.narrow(there, places, "an id with a slash has no place in a name");
  accounts.narrow(there === 0 ? 1 : 0, places, "names of another form, and ids that differ, have no counterpart");
}

/** Finds the id that a request has beside the resource that it creates. */
function bodyName(
  { shapes, resources }: Mapper,
  { side, types }: Pick<Objects, "types"> & { readonly side: Side },
  body: string,
  isThere: (path: Path) => boolean,
): NameMapping[] {
  const id = `${body}Id`;
  const type = shapes[side].at(types[side], [body])?.type;
  const message = type && shapes[side].message(type);
  if (message === undefined || shapes[side].at(types[side], [id]) === undefined) return [];
  const patterns = message.fields.flatMap(({ name }) => resources[side].pattern(message.name, name) ?? []);
  const last = partsOf(patterns, isThere).at(-1);
  return last?.at === undefined ? [] : [{ side, at: [id], parts: [last] }];
}

/** Finds the property of each id: named after the kind of thing, in an object named so, or just `id`. */
function partsOf(pattern: Parts, isThere: (path: Path) => boolean): NameMapping["parts"] {
  const taken = new Set<string>();
  return pattern.map((text, index) => {
    if (text !== "*") return { text };
    const kind = (pattern[index - 1] ?? "").replace(/s$/, "");
    const at = [[`${kind}Id`], [kind, "id"], ["id"]].find((path) => isThere(path) && !taken.has(path.join(".")));
    if (at === undefined) return {};
    taken.add(at.join("."));
    return { at };
  });
}

/** Notes the ids that a version has beside the names with the same ids: the other version has them once. */
export function narrowIds(
  { accounts }: Mapper,
  { owners }: Objects,
  { names }: FoundNames,
  moves: readonly Move[],
): void {
  for (const { side, parts } of names)
    for (const { at: id = [] } of parts)
      for (const { at } of moves) {
        const place = at[side === 0 ? 1 : 0];
        if (place.length === 0 || id.length === 0 || place.some((key, index) => id[index] !== key)) continue;
        const own = [...at[side], ...id.slice(place.length)];
        const places = [placeOf(owners[0], side === 0 ? own : id), placeOf(owners[1], side === 1 ? own : id)] as const;
        accounts.narrow(side, places, "the other version has this id once");
      }
}

/** Returns what stands for ids that have to be there where the other version has no name. */
function fillsOf({ shapes, accounts }: Mapper, { types, owners }: Objects, name: NameMapping): FieldMapping[] {
  const there = name.side === 0 ? 1 : 0;
  const isRequired = shapes[name.side].at(types[name.side], name.at)?.presence === "required";
  const ids = name.parts.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const required = ids.filter((at) => shapes[there].at(types[there], at)?.presence === "required");
  const note = (side: Side, id: Path): void => {
    accounts.fill(side, [
      placeOf(owners[0], there === 0 ? id : name.at),
      placeOf(owners[1], there === 1 ? id : name.at),
    ]);
  };
  if (!isRequired) for (const id of required) note(name.side, id);
  const isComplete = !isRequired || required.length > 0;
  if (!isComplete) for (const id of ids) note(there, id);
  return [...required.map((at) => empty(there, at)), ...(isComplete ? [] : [empty(name.side, name.at)])];
}

function empty(side: Side, at: Path): FieldMapping {
  const value = { kind: "same" } as const;
  return side === 0
    ? { at: [at, undefined], value, fill: ["", undefined] }
    : { at: [undefined, at], value, fill: [undefined, ""] };
}

/** Returns whether a property is a name that is made of others. */
export function isName({ names }: FoundNames, side: Side, path: Path): boolean {
  return names.some((name) => name.side === side && name.at.join(".") === path.join("."));
}
