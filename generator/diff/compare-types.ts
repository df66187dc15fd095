import type { AliasDef, EnumDef, FieldDef, MessageDef, TypeDef, UnionDef, ValueType } from "../protocol/types.js";
import { describeType, jsonForm } from "./describe.js";
import type { Renames } from "./renames.js";
import type { Change } from "./types.js";

/** Compares the types of the JSON side: what TypeScript and JSON see. */
export function compareTypes(from: readonly TypeDef[], to: readonly TypeDef[], renames: Renames): Change[] {
  const after = new Map(to.map((type) => [type.name, type]));
  const met = new Set<string>();
  const changes = from.flatMap((type): Change[] => {
    const name = after.has(type.name) ? type.name : renames.type(type.name);
    const found = name === undefined ? undefined : after.get(name);
    if (found === undefined) return [removed("type", type.name, "the type is gone")];
    met.add(found.name);
    const renamed = found.name === type.name ? [] : [renamedType(type.name, found.name, renames)];
    return [...renamed, ...compareType(type, found, renames)];
  });
  const added = to.filter(({ name }) => !met.has(name));
  return [...changes, ...added.map(({ name }): Change => ({ subject: "type", action: "added", name, breaks: {} }))];
}

function renamedType(name: string, to: string, renames: Renames): Change {
  const isAliased = renames.known("types", name) !== undefined;
  const breaks = isAliased ? {} : { source: "the name is gone, and no alias remains" };
  return { subject: "type", action: "renamed", name, to, breaks };
}

function removed(subject: Change["subject"], name: string, reason: string): Change {
  return { subject, action: "removed", name, breaks: { source: reason, json: reason } };
}

function compareType(from: TypeDef, to: TypeDef, renames: Renames): Change[] {
  if (from.kind === "message" && to.kind === "message") return compareFields(from, to, renames);
  if (from.kind === "enum" && to.kind === "enum") return compareValues(from, to);
  if (from.kind === "message" || to.kind === "message" || from.kind === "enum" || to.kind === "enum") {
    const reason = "values of the one form are none of the other";
    const breaks = { source: reason, json: reason };
    return [{ subject: "type", action: "changed", name: from.name, from: from.kind, to: to.kind, breaks }];
  }
  return compareValueTypes("type", from.name, typeOf(from), typeOf(to), renames);
}

function typeOf(type: UnionDef | AliasDef): ValueType {
  return type.kind === "alias" ? type.type : { kind: type.exclusive ? "oneOf" : "anyOf", members: type.members };
}

/** Compares two types of values: the members of unions and literals one by one, and anything else as a whole. */
function compareValueTypes(
  subject: "type" | "field",
  name: string,
  from: ValueType,
  to: ValueType,
  renames: Renames,
): Change[] {
  const [before, now] = [choicesOf(from, renames.rename), choicesOf(to, (type) => type)];
  if (before.join() === now.join()) return [];
  const isChoice = Math.max(before.length, now.length) > 1 && before.some((choice) => now.includes(choice));
  if (!isChoice) {
    const reason = "values of the one type are none of the other";
    const isWider = from.kind === "literal" && now.join() === "string";
    const breaks = isWider ? { source: "it may be any text where it is read" } : { source: reason, json: reason };
    return [{ subject, action: "changed", name, from: describeType(from), to: describeType(to), breaks }];
  }
  const gone = before.filter((choice) => !now.includes(choice));
  const added = now.filter((choice) => !before.includes(choice));
  const breaks = { source: "it is none of the choices any more", json: "it is none of the choices any more" };
  return [
    ...gone.map((choice): Change => ({ subject: "member", action: "removed", name, from: choice, breaks })),
    ...added.map((choice): Change => ({ subject: "member", action: "added", name, to: choice, breaks: {} })),
  ];
}

/** The forms that a value can have in JSON, in the order of the alphabet. */
function choicesOf(type: ValueType, rename: (name: string) => string): string[] {
  if (type.kind === "anyOf" || type.kind === "oneOf")
    return [...new Set(type.members.flatMap((member) => choicesOf(member, rename)))].sort();
  if (type.kind === "literal") return type.values.map((value) => JSON.stringify(value)).sort();
  return [jsonForm(type, rename)];
}

function compareFields(from: MessageDef, to: MessageDef, renames: Renames): Change[] {
  const after = new Map(to.fields.map((field) => [field.name, field]));
  const met = new Set<string>();
  const changes = from.fields.flatMap((field): Change[] => {
    const name = `${from.name}.${field.name}`;
    const known = renames.known("properties", `${to.name}.${field.name}`)?.split(".");
    const target = after.has(field.name) ? field.name : known?.[0] === to.name ? known[1] : undefined;
    const found = target === undefined ? undefined : after.get(target);
    if (found === undefined) return [removed("field", name, "what it says has no place any more")];
    met.add(found.name);
    return [
      ...(found.name === field.name ? [] : [renamedField(name, found.name)]),
      ...compareField(name, field, found, renames),
    ];
  });
  const added = to.fields.filter(({ name }) => !met.has(name));
  return [...changes, ...added.map((field) => addedField(`${from.name}.${field.name}`, field))];
}

function renamedField(name: string, to: string): Change {
  const breaks = { source: "code uses the old name", json: "the old key is not known any more" };
  return { subject: "field", action: "renamed", name, to, breaks };
}

function addedField(name: string, field: FieldDef): Change {
  const isNeeded = field.presence === "required";
  const breaks = isNeeded ? { source: "objects without it do not compile", json: "values without it are refused" } : {};
  const to = `${isNeeded ? "required" : "optional"} ${describeType(field.type)}`;
  return { subject: "field", action: "added", name, to, breaks };
}

function compareField(name: string, from: FieldDef, to: FieldDef, renames: Renames): Change[] {
  const change = (before: string, now: string, breaks: Change["breaks"]): Change[] =>
    before === now ? [] : [{ subject: "field", action: "changed", name, from: before, to: now, breaks }];
  const types = compareValueTypes("field", name, from.type, to.type, renames);
  return [
    ...types,
    ...change(presenceOf(from), presenceOf(to), presenceBreaks(from, to)),
    ...change(oneofOf(from), oneofOf(to), {
      source: "which fields go together has changed",
      json: "which fields go together has changed",
    }),
    ...change(elementsOf(from), elementsOf(to), to.nonEmpty ? { json: "an empty list is refused" } : {}),
  ];
}

function presenceOf({ presence }: FieldDef): string {
  return presence === "required" ? "required" : "optional";
}

function presenceBreaks(from: FieldDef, to: FieldDef): Change["breaks"] {
  if (from.presence !== "required" && to.presence === "required")
    return { source: "objects without it do not compile", json: "values without it are refused" };
  return { source: "it may be absent where it is read", json: "readers that need it may miss it" };
}

function oneofOf({ oneof }: FieldDef): string {
  return oneof === undefined ? "in no oneof" : `in the oneof ${oneof}`;
}

function elementsOf({ nonEmpty }: FieldDef): string {
  return nonEmpty ? "at least one element" : "any number of elements";
}

function compareValues(from: EnumDef, to: EnumDef): Change[] {
  const after = new Map(to.values.map((value) => [value.key, value]));
  const changes = from.values.flatMap(({ key, name: text }): Change[] => {
    const found = after.get(key);
    const name = `${from.name}.${key}`;
    if (found === undefined) return [removed("value", name, "the value is gone")];
    if (found.name === text) return [];
    const breaks = { json: "the old text is not known any more" };
    return [{ subject: "value", action: "changed", name, from: quoted(text), to: quoted(found.name), breaks }];
  });
  const known = new Set(from.values.map(({ key }) => key));
  const added = to.values.filter(({ key }) => !known.has(key));
  return [
    ...changes,
    ...added.map(({ key, name }): Change => {
      return { subject: "value", action: "added", name: `${from.name}.${key}`, to: quoted(name), breaks: {} };
    }),
  ];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
