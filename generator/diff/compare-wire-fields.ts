import type { WireFieldDef, WireMessageDef } from "../protocol/model/types.js";
import { oneofNames } from "./compare-oneofs.js";
import { describeType } from "./describe.js";
import { jsonForm } from "./forms.js";
import type { Pair } from "../protocol/versions/pairing.js";
import { matchWireFields, type WireVersions } from "./match-wire-fields.js";
import { changed, type About, type Breaks, type Change } from "./types.js";
import { isCompatible, wireForm } from "./wire-forms.js";

/**
 * Compares the fields of two versions of a message: their numbers, types and presence, and their
 * JSON if it differs from the JSON of the model.
 */
export function compareWireFields(
  from: WireMessageDef,
  to: WireMessageDef,
  versions: WireVersions,
): Change[] {
  const { pairs, added } = matchWireFields(from, to, versions);
  const aboutOf = ({ proto }: WireFieldDef): About => ({
    subject: "number",
    name: `${from.name}.${proto.name}`,
  });
  const changes = from.fields.flatMap((field): Change[] => {
    const found = pairs.find((pair) => pair.from === field)?.to;
    if (found !== undefined) return compareField(aboutOf(field), field, found, to, versions);
    const successor = successorOf(field, to);
    const json = hasOwnKey(field, versions) ? { json: "HTTP+JSON no longer reads it" } : {};
    const reason =
      successor === undefined
        ? "the values that peers send are not read"
        : reusedBy(field, successor);
    return changed(aboutOf(field), describe(field), undefined, { ...json, protobuf: reason });
  });
  return [
    ...changes,
    ...added.flatMap((field) => changed(aboutOf(field), undefined, describe(field), {})),
    ...compareOneofs(from, pairs, aboutOf),
  ];
}

function describe({ proto, type }: WireFieldDef): string {
  return `${describeType(type)} = ${proto.number}`;
}

/** Returns the field in the later version that has the number of an earlier field. */
function successorOf({ proto }: WireFieldDef, to: WireMessageDef): WireFieldDef | undefined {
  return to.fields.find((field) => field.proto.number === proto.number);
}

function reusedBy({ proto }: WireFieldDef, successor: WireFieldDef): string {
  return `number ${proto.number} is now ${successor.proto.name}`;
}

function compareField(
  about: About,
  from: WireFieldDef,
  to: WireFieldDef,
  message: WireMessageDef,
  versions: WireVersions,
): Change[] {
  const isFit = isCompatible(from.type, to.type, versions.rename);
  const successor = successorOf(from, message);
  const isMoved = from.proto.number !== to.proto.number;
  const reason = !isMoved
    ? "bytes of one type are not valid as the other"
    : successor === undefined
      ? "the number has changed"
      : reusedBy(from, successor);
  const form = wireForm(from.type, versions.rename) === wireForm(to.type, (type) => type);
  const breaks = {
    ...jsonBreaks(from, to, versions),
    ...(isFit && !isMoved ? {} : { protobuf: reason }),
  };
  return [
    ...compareName(about, from, to, versions),
    ...(form && !isMoved ? [] : changed(about, describe(from), describe(to), breaks)),
    ...(isMoved && !isFit ? [] : compareForm(about, from, to)),
  ];
}

/**
 * Returns whether HTTP+JSON has a separate key for a field. In this case, the changes to the model
 * do not report a rename.
 */
function hasOwnKey({ mapping, jsonName }: WireFieldDef, { hasOwnJson }: WireVersions): boolean {
  return (
    hasOwnJson &&
    !(mapping.kind === "path" && mapping.path.join(".") === jsonName && mapping.when === undefined)
  );
}

function jsonBreaks(from: WireFieldDef, to: WireFieldDef, versions: WireVersions): Breaks {
  const { rename } = versions;
  const { type } = from;
  if (!hasOwnKey(from, versions) || jsonForm(type, rename) === jsonForm(to.type, (name) => name))
    return {};
  return { json: "HTTP+JSON has another form for it" };
}

// The name of a field is not in the bytes, but ProtoJSON parsers accept it as a key.
function compareName(
  about: About,
  from: WireFieldDef,
  to: WireFieldDef,
  versions: WireVersions,
): Change[] {
  const isPlain = from.mapping.kind === "resource" && to.mapping.kind !== "resource";
  const plain = "it is now a plain value instead of a resource name";
  const isKept = from.jsonName === to.jsonName;
  const isOwn = hasOwnKey(from, versions) || hasOwnKey(to, versions);
  const json = { json: "HTTP+JSON has another key for it" };
  if (from.proto.name === to.proto.name && !isPlain)
    return isOwn
      ? changed({ ...about, aspect: "JSON name" }, from.jsonName, to.jsonName, json)
      : [];
  // The model has the same key, so the rename is already reported as a change to the model.
  if (!isKept && !isOwn && from.proto.number === to.proto.number) return [];
  const isSpelling = isKept && ![from.jsonName, to.proto.name].includes(from.proto.name);
  const spelling = { json: "the name in the proto is no longer accepted" };
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
    ...(isSingle
      ? changed({ ...about, aspect: "presence" }, presenceOf(from), presenceOf(to), {})
      : []),
    ...(isList ? changed(about, packing(from), packing(to), {}) : []),
  ];
}

function compareOneofs(
  from: WireMessageDef,
  pairs: readonly Pair<WireFieldDef>[],
  aboutOf: (field: WireFieldDef) => About,
): Change[] {
  const renamed = oneofNames(from.oneofs, pairs);
  const breaks = { protobuf: "one of the fields that are set together is lost" };
  return pairs.flatMap(({ from: field, to }): Change[] => {
    const before =
      field.oneof === undefined ? undefined : (renamed.get(field.oneof) ?? field.oneof);
    if (before === to.oneof) return [];
    const [was, is] = [field.oneof, to.oneof].map((oneof) =>
      oneof === undefined ? "in no oneof" : `in ${oneof}`,
    );
    return changed(aboutOf(field), was, is, breaks);
  });
}
