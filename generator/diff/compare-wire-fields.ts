import type { WireFieldDef, WireMessageDef } from "../protocol/model/types.js";
import { oneofNames } from "./compare-oneofs.js";
import { describeType } from "./describe.js";
import { jsonForm } from "./forms.js";
import { matchWireFields, type WirePair, type WireVersions } from "./match-wire-fields.js";
import { changed, type About, type Breaks, type Change } from "./types.js";
import { isCompatible, wireForm } from "./wire-forms.js";

/** Compares the fields of two versions of a message: their numbers, types and presence, and where it counts their JSON. */
export function compareWireFields(from: WireMessageDef, to: WireMessageDef, versions: WireVersions): Change[] {
  const pairs = matchWireFields(from, to, versions);
  const aboutOf = ({ proto }: WireFieldDef): About => ({ subject: "number", name: `${from.name}.${proto.name}` });
  const changes = from.fields.flatMap((field): Change[] => {
    const found = pairs.find((pair) => pair.from === field)?.to;
    if (found !== undefined) return compareField(aboutOf(field), field, found, to, versions);
    const taker = takerOf(field, to);
    const json = hasOwnKey(field, versions) ? { json: "HTTP+JSON does not read it any more" } : {};
    const reason = taker === undefined ? "what peers send in it is not read" : takenBy(field, taker);
    return changed(aboutOf(field), textOf(field), undefined, { ...json, protobuf: reason });
  });
  const added = to.fields.filter((field) => !pairs.some((pair) => pair.to === field));
  return [
    ...changes,
    ...added.flatMap((field) => changed(aboutOf(field), undefined, textOf(field), {})),
    ...compareOneofs(from, pairs, aboutOf),
  ];
}

function textOf({ proto, type }: WireFieldDef): string {
  return `${describeType(type)} = ${proto.number}`;
}

/** The field that has the number of another in the later version. */
function takerOf({ proto }: WireFieldDef, to: WireMessageDef): WireFieldDef | undefined {
  return to.fields.find((field) => field.proto.number === proto.number);
}

function takenBy({ proto }: WireFieldDef, taker: WireFieldDef): string {
  return `number ${proto.number} is ${taker.proto.name} now`;
}

function compareField(
  about: About,
  from: WireFieldDef,
  to: WireFieldDef,
  message: WireMessageDef,
  versions: WireVersions,
): Change[] {
  const isFit = isCompatible(from.type, to.type, versions.rename);
  const taker = takerOf(from, message);
  const isMoved = from.proto.number !== to.proto.number;
  const reason = !isMoved
    ? "bytes of the one type are none of the other"
    : taker === undefined
      ? "the number has changed"
      : takenBy(from, taker);
  const form = wireForm(from.type, versions.rename) === wireForm(to.type, (type) => type);
  const breaks = { ...jsonBreaks(from, to, versions), ...(isFit && !isMoved ? {} : { protobuf: reason }) };
  return [
    ...compareName(about, from, to, versions),
    ...(form && !isMoved ? [] : changed(about, textOf(from), textOf(to), breaks)),
    ...(isMoved && !isFit ? [] : compareForm(about, from, to)),
  ];
}

/** Whether HTTP+JSON knows a field by a key that the type does not have, so that the type does not tell what it is. */
function hasOwnKey({ place, jsonName }: WireFieldDef, { hasOwnJson }: WireVersions): boolean {
  return hasOwnJson && !(place.kind === "path" && place.path.join(".") === jsonName && place.when === undefined);
}

function jsonBreaks(from: WireFieldDef, to: WireFieldDef, versions: WireVersions): Breaks {
  const { rename } = versions;
  const { type } = from;
  if (!hasOwnKey(from, versions) || jsonForm(type, rename) === jsonForm(to.type, (name) => name)) return {};
  return { json: "HTTP+JSON has another form for it" };
}

/** A name of protobuf is none of the bytes, but JSON is read with it, too. */
function compareName(about: About, from: WireFieldDef, to: WireFieldDef, versions: WireVersions): Change[] {
  const isPlain = from.place.kind === "resource" && to.place.kind !== "resource";
  const plain = "it is no resource name any more, but a plain value";
  const isKept = from.jsonName === to.jsonName;
  const isOwn = hasOwnKey(from, versions) || hasOwnKey(to, versions);
  const json = { json: "HTTP+JSON has another key for it" };
  if (from.proto.name === to.proto.name && !isPlain)
    return isOwn ? changed({ ...about, aspect: "JSON name" }, from.jsonName, to.jsonName, json) : [];
  // Where the type has the same key, the rename is one of the type.
  if (!isKept && !isOwn && from.proto.number === to.proto.number) return [];
  const isSpelling = isKept && ![from.jsonName, to.proto.name].includes(from.proto.name);
  const spelling = { json: "the name of the proto is not read any more" };
  const breaks: Breaks = {
    ...(isKept ? isSpelling && spelling : isOwn && json),
    ...(isPlain && { json: plain, protobuf: plain }),
  };
  return [{ ...about, action: "renamed", to: to.proto.name, breaks }];
}

function compareForm(about: About, from: WireFieldDef, to: WireFieldDef): Change[] {
  const presenceOf = ({ presence }: WireFieldDef): string =>
    presence === "implicit" ? "absent means its default" : "absent differs from its default";
  const isPlain = from.presence !== "required" && to.presence !== "required";
  const packing = ({ proto }: WireFieldDef): string => (proto.packed ? "packed" : "not packed");
  const isSingle = from.oneof === undefined && to.oneof === undefined && isPlain;
  const isList = from.type.kind === "list" && to.type.kind === "list";
  return [
    ...(isSingle ? changed({ ...about, aspect: "presence" }, presenceOf(from), presenceOf(to), {}) : []),
    ...(isList ? changed(about, packing(from), packing(to), {}) : []),
  ];
}

function compareOneofs(
  from: WireMessageDef,
  pairs: readonly WirePair[],
  aboutOf: (field: WireFieldDef) => About,
): Change[] {
  const renamed = oneofNames(from.oneofs, pairs);
  const breaks = { protobuf: "one of the fields that are set together is lost" };
  return pairs.flatMap(({ from: field, to }): Change[] => {
    const before = field.oneof === undefined ? undefined : (renamed.get(field.oneof) ?? field.oneof);
    if (before === to.oneof) return [];
    const [was, is] = [field.oneof, to.oneof].map((oneof) => (oneof === undefined ? "in no oneof" : `in ${oneof}`));
    return changed(aboutOf(field), was, is, breaks);
  });
}
