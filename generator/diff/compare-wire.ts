import type { WireDef, WireEnumDef, WireMessageDef } from "../protocol/model/types.js";
import type { Claims } from "./claims.js";
import { compareWireFields } from "./compare-wire-fields.js";
import { TypeMatches, type Pair } from "./match-types.js";
import { isUnlike, type WireVersions } from "./match-wire-fields.js";
import { wireShape } from "./shapes.js";
import { changed, type Change } from "./types.js";

/** What the messages and enums of one version are called in the other. */
export type WireMatches = TypeMatches<WireMessageDef | WireEnumDef>;

/** Matches the messages and enums of two versions. */
export function matchWire(from: WireDef | undefined, to: WireDef | undefined, claims: Claims): WireMatches {
  const typesOf = (wire: WireDef | undefined) => [...(wire?.messages ?? []), ...(wire?.enums ?? [])];
  return new TypeMatches(typesOf(from), typesOf(to), claims, wireShape);
}

/**
 * Compares what protobuf carries: messages and enums by name, and what is in them by name and number. Where the JSON of
 * the types is not that of the messages, HTTP+JSON carries the messages, too, and their JSON is compared with them.
 */
export function compareWire(
  from: WireDef | undefined,
  to: WireDef | undefined,
  matches: WireMatches,
  claims: Claims,
): Change[] {
  if (from === undefined || to === undefined) return [];
  const hasOwnJson = !from.isProtoJson || !to.isProtoJson;
  const versions = { claims, rename: matches.rename, hasOwnJson };
  // What refers to a message or an enum tells what it breaks that there is no such thing any more.
  const about = ({ name }: { readonly name: string }) => ({ subject: "message", name, breaks: {} }) as const;
  return [
    ...matches.pairs.flatMap((pair) => comparePair(pair, versions)),
    ...matches.removed.map((type): Change => ({ ...about(type), action: "removed" })),
    ...matches.added.map((type): Change => ({ ...about(type), action: "added" })),
  ];
}

function comparePair(pair: Pair<WireMessageDef | WireEnumDef>, versions: WireVersions): Change[] {
  const { from, to } = pair;
  const renamed: Change = { subject: "message", action: "renamed", name: from.name, to: to.name, breaks: {} };
  const names = from.name === to.name ? [] : [renamed];
  if ("values" in from && "values" in to) return [...names, ...compareEnum(from, to, versions)];
  if ("values" in from || "values" in to || isUnlike(from, to, versions)) return [...names, anotherShape(pair)];
  return [...names, ...compareWireFields(from, to, versions)];
}

function anotherShape({ from, to }: Pair<WireMessageDef | WireEnumDef>): Change {
  const textOf = (type: WireMessageDef | WireEnumDef): string => {
    if ("values" in type) return "enum";
    return `message of ${type.fields.map(({ proto }) => `${proto.name} = ${proto.number}`).join(", ") || "nothing"}`;
  };
  const breaks = { protobuf: "bytes of the one are read as something else" };
  const about = { subject: "message", action: "changed", name: from.name, aspect: "shape" } as const;
  return { ...about, from: textOf(from), to: textOf(to), breaks };
}

function compareEnum(from: WireEnumDef, to: WireEnumDef, { hasOwnJson }: WireVersions): Change[] {
  const now = new Map(to.values.map(({ name, number }) => [name, number]));
  const isNew = (name: string): boolean => from.values.every((value) => value.name !== name);
  const met = new Set<string>();
  const changes = from.values.flatMap(({ name, number }): Change[] => {
    const about = { subject: "number", name: `${from.name}.${name}` } as const;
    const taker = to.values.find((value) => value.number === number)?.name;
    if (now.has(name)) {
      met.add(name);
      const reason = taker === undefined ? "the number has changed" : `number ${number} is ${taker} now`;
      return changed(about, number, now.get(name), { protobuf: reason });
    }
    const json = hasOwnJson ? { json: "HTTP+JSON does not know the name any more" } : {};
    if (taker === undefined || !isNew(taker)) {
      const reason =
        taker === undefined ? "peers that send the number are not understood" : `number ${number} is ${taker} now`;
      return changed(about, number, undefined, { ...json, protobuf: reason });
    }
    met.add(taker);
    return [{ ...about, action: "renamed", to: taker, breaks: json }];
  });
  const added = to.values.filter(({ name }) => !met.has(name));
  return [
    ...changes,
    ...added.flatMap(({ name, number }) =>
      changed({ subject: "number", name: `${from.name}.${name}` }, undefined, number, {}),
    ),
  ];
}
