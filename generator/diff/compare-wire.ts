import type { ScalarName, ValueType, WireDef, WireEnumDef, WireFieldDef, WireMessageDef } from "../protocol/types.js";
import { describeType } from "./describe.js";
import type { Renames } from "./renames.js";
import type { Change } from "./types.js";

/** Compares what protobuf carries: messages by name, and their fields by number. */
export function compareWire(from: WireDef | undefined, to: WireDef | undefined, renames: Renames): Change[] {
  if (from === undefined || to === undefined) return [];
  const kept = new Set([...to.messages, ...to.enums].map(({ name }) => name));
  const rename = (name: string): string => (kept.has(name) ? name : (renames.type(name) ?? name));
  return [
    ...pairs(from.messages, to.messages, rename, "message").flatMap(([before, now, changes]) =>
      before === undefined || now === undefined ? changes : [...changes, ...compareMessage(before, now, rename)],
    ),
    ...pairs(from.enums, to.enums, rename, "value").flatMap(([before, now, changes]) =>
      before === undefined || now === undefined ? changes : [...changes, ...compareEnum(before, now)],
    ),
  ];
}

interface Named {
  readonly name: string;
  readonly fullName: string;
}

/** What belongs together in both versions; what has no counterpart comes with the change that it is. */
function pairs<T extends Named>(
  from: readonly T[],
  to: readonly T[],
  rename: (name: string) => string,
  subject: "message" | "value",
): (readonly [T | undefined, T | undefined, readonly Change[]])[] {
  const after = new Map(to.map((one) => [one.name, one]));
  const met = new Set<string>();
  const gone = from.map((one) => {
    const found = after.get(one.name) ?? after.get(rename(one.name));
    if (found !== undefined) met.add(found.name);
    const breaks = { protobuf: "peers that send it are not understood" };
    const change: Change = { subject, action: "removed", name: one.fullName, breaks };
    const renamed: Change = { subject, action: "renamed", name: one.fullName, to: found?.fullName ?? "", breaks: {} };
    if (found === undefined) return [one, found, [change]] as const;
    return [one, found, found.name === one.name ? [] : [renamed]] as const;
  });
  const added = to.filter(({ name }) => !met.has(name));
  return [
    ...gone,
    ...added.map(
      (one) => [undefined, one, [{ subject, action: "added", name: one.fullName, breaks: {} } as const]] as const,
    ),
  ];
}

function compareMessage(from: WireMessageDef, to: WireMessageDef, rename: (name: string) => string): Change[] {
  const after = new Map(to.fields.map((field) => [field.proto.number, field]));
  const changes = from.fields.flatMap((field): Change[] => {
    const found = after.get(field.proto.number);
    if (found === undefined) return [removedField(from, field, to)];
    const isElsewhere =
      found.proto.name !== field.proto.name &&
      (to.fields.some(({ proto }) => proto.name === field.proto.name) ||
        from.fields.some(({ proto }) => proto.name === found.proto.name));
    const name = `${from.name}.${field.proto.name}`;
    return isElsewhere ? [reusedNumber(name, field, found)] : compareField(name, field, found, rename);
  });
  const known = new Set(from.fields.map(({ proto }) => proto.number));
  const added = to.fields.filter(({ proto }) => !known.has(proto.number));
  return [
    ...changes,
    ...added.map((field): Change => {
      return {
        subject: "number",
        action: "added",
        name: `${to.name}.${field.proto.name}`,
        to: textOf(field),
        breaks: {},
      };
    }),
  ];
}

function removedField({ name }: WireMessageDef, field: WireFieldDef, to: WireMessageDef): Change {
  const moved = to.fields.find(({ proto }) => proto.name === field.proto.name);
  const whole = `${name}.${field.proto.name}`;
  if (moved === undefined) {
    const breaks = { protobuf: "what peers send in it is not read" };
    return { subject: "number", action: "removed", name: whole, from: textOf(field), breaks };
  }
  const breaks = { protobuf: "the number has changed" };
  return { subject: "number", action: "changed", name: whole, from: textOf(field), to: textOf(moved), breaks };
}

function textOf({ proto, type }: WireFieldDef): string {
  return `${describeType(type)} = ${proto.number}`;
}

/** The change of a number that another field has now. */
function reusedNumber(name: string, from: WireFieldDef, to: WireFieldDef): Change {
  const breaks = { protobuf: `number ${from.proto.number} is ${to.proto.name} now` };
  return {
    subject: "number",
    action: "changed",
    name,
    from: textOf(from),
    to: `${to.proto.name}: ${textOf(to)}`,
    breaks,
  };
}

function compareField(name: string, from: WireFieldDef, to: WireFieldDef, rename: (name: string) => string): Change[] {
  const reused = from.proto.name !== to.proto.name && !isCompatible(from.type, to.type, rename);
  if (reused) return [reusedNumber(name, from, to)];
  const changes: Change[] = [];
  if (from.proto.name !== to.proto.name)
    changes.push({ subject: "number", action: "renamed", name, to: to.proto.name, breaks: {} });
  if (wireForm(from.type, rename) !== wireForm(to.type, (type) => type)) {
    const breaks = isCompatible(from.type, to.type, rename)
      ? {}
      : { protobuf: "bytes of the one type are none of the other" };
    changes.push({ subject: "number", action: "changed", name, from: textOf(from), to: textOf(to), breaks });
  }
  if (from.oneof !== to.oneof && (from.oneof === undefined || to.oneof === undefined)) {
    const [before, now] = [from.oneof, to.oneof].map((oneof) => (oneof === undefined ? "in no oneof" : `in ${oneof}`));
    const breaks = { protobuf: "one of the fields that are set together is lost" };
    changes.push({ subject: "number", action: "changed", name, from: before ?? "", to: now ?? "", breaks });
  }
  return changes;
}

function wireForm(type: ValueType, rename: (name: string) => string): string {
  if ("name" in type) return rename(type.name);
  if (type.kind === "list") return `list of ${wireForm(type.element, rename)}`;
  return type.kind === "map" ? `map of ${type.key} to ${wireForm(type.value, rename)}` : describeType(type);
}

/** Scalars whose bytes can be read as one another. */
const families: readonly (readonly (ScalarName | "enum")[])[] = [
  ["int32", "uint32", "int64", "uint64", "bool", "enum"],
  ["sint32", "sint64"],
  ["fixed32", "sfixed32"],
  ["fixed64", "sfixed64"],
  ["string", "bytes"],
];

function isCompatible(from: ValueType, to: ValueType, rename: (name: string) => string): boolean {
  if (wireForm(from, rename) === wireForm(to, (type) => type)) return true;
  const kindOf = (type: ValueType): ScalarName | "enum" | undefined =>
    type.kind === "scalar" ? type.scalar : type.kind === "enum" ? "enum" : undefined;
  const [before, now] = [kindOf(from), kindOf(to)];
  return families.some(
    (family) => before !== undefined && now !== undefined && family.includes(before) && family.includes(now),
  );
}

function compareEnum(from: WireEnumDef, to: WireEnumDef): Change[] {
  const after = new Map(to.values.map((value) => [value.number, value]));
  const changes = from.values.flatMap(({ name, number }): Change[] => {
    const found = after.get(number);
    const whole = `${from.name}.${name}`;
    if (found === undefined) {
      const breaks = { protobuf: "peers that send the number are not understood" };
      return [{ subject: "number", action: "removed", name: whole, from: String(number), breaks }];
    }
    if (found.name === name) return [];
    const isElsewhere = to.values.some((value) => value.name === name);
    const breaks = isElsewhere ? { protobuf: `number ${number} means ${found.name} now` } : {};
    return [{ subject: "number", action: "renamed", name: whole, to: found.name, breaks }];
  });
  const known = new Set(from.values.map(({ number }) => number));
  const added = to.values.filter(({ number }) => !known.has(number));
  return [
    ...changes,
    ...added.map(({ name, number }): Change => {
      return { subject: "number", action: "added", name: `${to.name}.${name}`, to: String(number), breaks: {} };
    }),
  ];
}
