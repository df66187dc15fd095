import type { Protocol, WireDef, WireEnumDef, WireMessageDef } from "../protocol/model/types.js";
import type { Pair } from "../protocol/versions/pairing.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { compareWireFields } from "./compare-wire-fields.js";
import { TypeMatches } from "./match-types.js";
import { isUnrelated, type WireVersions } from "./match-wire-fields.js";
import { wireShape } from "./shapes.js";
import { changed, type Change } from "./types.js";
import { messagesUsedAlike } from "./uses.js";

/** Messages and enums of one version, and their names in the other version. */
export type WireMatches = TypeMatches<WireMessageDef | WireEnumDef>;

/** Matches the messages and enums of two versions. */
export function matchWire(from: Protocol, to: Protocol, renames: Renames): WireMatches {
  const typesOf = ({ wire }: Protocol) => [...(wire?.messages ?? []), ...(wire?.enums ?? [])];
  const isUsedAlike = messagesUsedAlike(from, to, renames);
  return new TypeMatches(typesOf(from), typesOf(to), renames, wireShape, isUsedAlike);
}

/**
 * Compares protobuf messages and enums by name, and their fields and values by name and number. If
 * the model's JSON is not ProtoJSON, also compares the ProtoJSON that HTTP+JSON sends.
 */
export function compareWire(
  from: WireDef | undefined,
  to: WireDef | undefined,
  matches: WireMatches,
  renames: Renames,
): Change[] {
  if (from === undefined || to === undefined) return [];
  const hasOwnJson = !from.isProtoJson || !to.isProtoJson;
  const versions = { renames, rename: matches.rename, hasOwnJson };
  // Removing a message does not break anything directly, because the fields and rpcs that used it
  // report the breaking changes.
  const about = ({ name }: { readonly name: string }) =>
    ({ subject: "message", name, breaks: {} }) as const;
  return [
    ...matches.pairs.flatMap((pair) => comparePair(pair, versions)),
    ...matches.removed.map((type): Change => ({ ...about(type), action: "removed" })),
    ...matches.added.map((type): Change => ({ ...about(type), action: "added" })),
  ];
}

function comparePair(pair: Pair<WireMessageDef | WireEnumDef>, versions: WireVersions): Change[] {
  const { from, to } = pair;
  const renamed: Change = {
    subject: "message",
    action: "renamed",
    name: from.name,
    to: to.name,
    breaks: {},
  };
  const names = from.name === to.name ? [] : [renamed];
  if ("values" in from && "values" in to) return [...names, ...compareEnum(from, to, versions)];
  if ("values" in from || "values" in to || isUnrelated(from, to, versions))
    return [...names, changedShape(pair)];
  return [...names, ...compareWireFields(from, to, versions)];
}

function changedShape({ from, to }: Pair<WireMessageDef | WireEnumDef>): Change {
  const describe = (type: WireMessageDef | WireEnumDef): string => {
    if ("values" in type) return "enum";
    return (
      "message of " +
      (type.fields.map(({ proto }) => `${proto.name} = ${proto.number}`).join(", ") || "no fields")
    );
  };
  const breaks = { protobuf: "the bytes are read as something else" };
  const about = {
    subject: "message",
    action: "changed",
    name: from.name,
    aspect: "shape",
  } as const;
  return { ...about, from: describe(from), to: describe(to), breaks };
}

function compareEnum(from: WireEnumDef, to: WireEnumDef, { hasOwnJson }: WireVersions): Change[] {
  const now = new Map(to.values.map(({ name, number }) => [name, number]));
  const isNew = (name: string): boolean => from.values.every((value) => value.name !== name);
  const met = new Set<string>();
  const changes = from.values.flatMap(({ name, number }): Change[] => {
    const about = { subject: "number", name: `${from.name}.${name}` } as const;
    const successor = to.values.find((value) => value.number === number)?.name;
    if (now.has(name)) {
      met.add(name);
      const reason =
        successor === undefined ? "the number has changed" : `number ${number} is now ${successor}`;
      return changed(about, number, now.get(name), { protobuf: reason });
    }
    const json = hasOwnJson ? { json: "HTTP+JSON no longer accepts the name" } : {};
    if (successor === undefined || !isNew(successor)) {
      const reason =
        successor === undefined
          ? "peers that send the number are not understood"
          : `number ${number} is now ${successor}`;
      return changed(about, number, undefined, { ...json, protobuf: reason });
    }
    met.add(successor);
    return [{ ...about, action: "renamed", to: successor, breaks: json }];
  });
  const added = to.values.filter(({ name }) => !met.has(name));
  return [
    ...changes,
    ...added.flatMap(({ name, number }) =>
      changed({ subject: "number", name: `${from.name}.${name}` }, undefined, number, {}),
    ),
  ];
}
