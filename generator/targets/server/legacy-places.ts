import { constantsOf } from "../../protocol/model/constants.js";
import { presentType } from "../../protocol/build/legacy.js";
import type { LegacyDef, Protocol, TypeDef, ValueType } from "../../protocol/model/types.js";

/** Where in requests over JSON-RPC names of earlier versions can stand. */
export interface LegacyPlaces {
  /** The names that can. */
  readonly names: readonly LegacyDef[];
  /** By operation the type of its request. */
  readonly requests: ReadonlyMap<string, string>;
  /** By type and field the type of what the field holds. */
  readonly fields: ReadonlyMap<string, readonly Place[]>;
  /** The members of unions by constant, and the names that the field of the constant has had. */
  readonly unions: ReadonlyMap<
    string,
    { readonly keys: readonly string[]; readonly members: ReadonlyMap<string, string> }
  >;
}

/** A field, and the type of what it holds: by itself, in a list, or in a map. */
export interface Place {
  readonly field: string;
  readonly type: string;
  readonly isMap: boolean;
}

/** Finds where names of earlier versions can stand. Types that no such name is in, or below, are left out. */
export function legacyPlaces(protocol: Protocol): LegacyPlaces {
  const types = new Map(protocol.types.map((type) => [type.name, type]));
  const members = protocol.legacy.filter(({ kind }) => kind === "properties" || kind === "values");
  const links = new Map(protocol.types.map((type) => [type.name, linksOf(type, types)]));
  const holders = leadingTo(new Set(members.map(presentType)), links);
  const requests = protocol.operations.flatMap(({ name, jsonRpc, request }) =>
    jsonRpc !== undefined && request.kind === "named" && holders.has(request.name)
      ? [[name, request.name] as const]
      : [],
  );
  const reached = reachedFrom(
    requests.map(([, type]) => type),
    links,
    holders,
  );
  const kept = protocol.types.filter(({ name }) => reached.has(name));
  const methods = protocol.legacy.filter(({ kind }) => kind === "methods");
  return {
    names: [...methods, ...members.filter((name) => reached.has(presentType(name)))],
    requests: new Map(requests),
    fields: new Map(
      kept.flatMap(({ name, kind }) => {
        const places = (links.get(name) ?? []).filter(({ type }) => holders.has(type));
        return kind === "message" && places.length > 0 ? [[name, places] as const] : [];
      }),
    ),
    unions: new Map(kept.flatMap((type) => unionOf(type, types, members))),
  };
}

/** The types that a type leads to: fields of a message, members of a union, what an alias stands for. */
function linksOf(type: TypeDef, types: ReadonlyMap<string, TypeDef>): Place[] {
  if (type.kind === "message") return type.fields.flatMap(({ name, type: value }) => placeOf(name, value, types));
  return type.kind === "union" ? type.members.flatMap((member) => placeOf("", member, types)) : [];
}

function placeOf(field: string, value: ValueType, types: ReadonlyMap<string, TypeDef>): Place[] {
  switch (value.kind) {
    case "message":
    case "enum":
    case "union":
      return [{ field, type: value.name, isMap: false }];
    case "alias": {
      const target = types.get(value.name);
      return target?.kind === "alias" ? placeOf(field, target.type, types) : [];
    }
    case "list":
      return placeOf(field, value.element, types);
    case "map":
      return placeOf(field, value.value, types).map((place) => ({ ...place, isMap: true }));
    default:
      return [];
  }
}

/** The given types, and all that lead to one of them. */
function leadingTo(given: ReadonlySet<string>, links: ReadonlyMap<string, readonly Place[]>): ReadonlySet<string> {
  const found = new Set(given);
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const [name, places] of links) if (places.some(({ type }) => found.has(type))) found.add(name);
  }
  return found;
}

/** The given types, and all that they lead to within a set. */
function reachedFrom(
  given: readonly string[],
  links: ReadonlyMap<string, readonly Place[]>,
  within: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...given];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || !within.has(name)) continue;
    found.add(name);
    queue.push(...(links.get(name) ?? []).map(({ type }) => type));
  }
  return found;
}

function unionOf(
  type: TypeDef,
  types: ReadonlyMap<string, TypeDef>,
  names: readonly LegacyDef[],
): [string, { keys: readonly string[]; members: ReadonlyMap<string, string> }][] {
  if (type.kind !== "union" || type.discriminator === undefined) return [];
  const key = type.discriminator;
  const members = new Map(constantsOf(type.members, key, types));
  const old = names.flatMap(({ old: name, now }) =>
    [...members.values()].some((member) => now === `${member}.${key}`) ? [name.slice(name.indexOf(".") + 1)] : [],
  );
  return [[type.name, { keys: [key, ...new Set(old)], members }]];
}
