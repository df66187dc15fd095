// Part of a2a-codegen 0.1.0. Do not edit.

import { isObject } from "./json.js";
import { schema, type Run, type Schema, type Type } from "./schema.js";
import { missing } from "./strict.js";
import { enumType } from "./types.js";

/** A field of a message: its type, and what its absence means. */
export interface Field {
  readonly type: Type<unknown>;
  readonly presence: "required" | "optional" | "implicit";
  /** The oneof that the field belongs to. */
  readonly oneof?: string;
  /** Set where one member of the oneof has to be there. */
  readonly exactlyOne?: true;
  /** The name in the proto, where it is not the snake_case form of the JSON name. */
  readonly protoName?: string;
}

/** A field that has to be there. */
export const required = (type: Type<unknown>): Field => ({ type, presence: "required" });
/** A field that may be left out, which is not the same as its default. */
export const optional = (type: Type<unknown>): Field => ({ type, presence: "optional" });
/** A field that may be left out, which is the same as its default: the canonical form leaves the default out. */
export const implicit = (type: Type<unknown>): Field => ({ type, presence: "implicit" });
/** A member of a oneof of which at most one is there. A message with several oneofs says which of them. */
export const atMostOne = (type: Type<unknown>, oneof = ""): Field => ({ type, presence: "optional", oneof });
/** A member of a oneof of which exactly one is there. A message with several oneofs says which of them. */
export const exactlyOne = (type: Type<unknown>, oneof = ""): Field => ({
  type,
  presence: "optional",
  oneof,
  exactlyOne: true,
});
/** A field whose name in the proto does not follow from its JSON name. */
export const named = (protoName: string, field: Field): Field => ({ ...field, protoName });

/** A field with its JSON name. */
export interface Entry extends Field {
  readonly name: string;
  /** The oneof that it is a member of. */
  readonly choice: Oneof | undefined;
  /** Whether every object has something of this name. */
  readonly isInherited: boolean;
}

interface Oneof {
  readonly members: readonly string[];
  readonly isNeeded: boolean;
  /** How many members are expected, with their names: that of the oneof itself is nowhere in JSON. */
  readonly expected: string;
}

/** The fields of a message, as a check looks them up. */
export interface Table {
  /** Every name that a field goes by, JSON and proto. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly all: readonly Entry[];
  readonly oneofs: readonly Oneof[];
}

/**
 * The schema of a message. `fields` gives every field by its JSON name; it is called at the first use, so that messages
 * can refer to one another.
 */
export function message<T>(name: string, fields: () => { readonly [K in keyof NoInfer<T>]-?: Field }): Schema<T> {
  let table: Table | undefined;
  const known = (): Table => (table ??= compile(Object.entries<Field>(fields())));
  return schema<T>({
    name,
    check(value, run) {
      if (!isObject(value)) return run.report(name, value);
      if (run.tooDeep(value)) return undefined;
      if (run.strictly === undefined) return checkFields(known(), value, run) as T;
      run.strictly(known(), value, run);
      return value as T;
    },
    field: (key) => known().entries.get(key)?.type,
  });
}

/** The schema of an enum: its names, with their numbers. */
export function enumeration<T extends string>(name: string, numbers: { readonly [K in T]: number }): Schema<T> {
  return schema(enumType(name, numbers));
}

/** Makes the table of fields, given by their JSON names. */
export function compile(fields: readonly [string, Field][]): Table {
  const names = new Set(fields.flatMap(([, { oneof }]) => oneof ?? []));
  const oneofs = Array.from(names, (name): Oneof => {
    const own = fields.filter(([, { oneof }]) => oneof === name);
    const members = own.map(([member]) => member);
    const isNeeded = own.some(([, { exactlyOne }]) => exactlyOne);
    return { members, isNeeded, expected: `${isNeeded ? "exactly" : "at most"} one of ${members.join(", ")}` };
  });
  const all = fields.map(([name, field]): Entry => {
    const choice = oneofs.find(({ members }) => members.includes(name));
    return { ...field, name, choice, isInherited: name in Object.prototype };
  });
  const entries = new Map<string, Entry>();
  for (const entry of all) entries.set(entry.protoName ?? snakeCase(entry.name), entry);
  for (const entry of all) entries.set(entry.name, entry);
  return { entries, all, oneofs };
}

/** Checks the fields of an object, gives those that are there in their canonical form, and ignores other members. */
export function checkFields(table: Table, value: Readonly<Record<string, unknown>>, run: Run): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  /** The fields that were there, or the oneofs that they are members of. */
  const seen: (string | Oneof)[] = [];
  for (const key of Object.keys(value)) {
    const entry = table.entries.get(key);
    if (entry === undefined || (!run.lenient && entry.name !== key)) continue;
    const { name, type, choice } = entry;
    const given = value[key];
    if (given === undefined || (given === null && run.lenient && type.nullable !== true)) continue;
    if (seen.includes(choice ?? name)) run.report(choice?.expected ?? `${name} once`, value);
    seen.push(choice ?? name);
    const checked = run.at(name, type, given);
    if (checked === undefined || (entry.presence === "implicit" && type.isDefault?.(checked) === true)) continue;
    result[name] = checked;
  }
  for (const { name, type, presence } of table.all)
    if (presence === "required" && !seen.includes(name)) run.at(name, missing, type.name);
  for (const choice of table.oneofs) if (choice.isNeeded && !seen.includes(choice)) run.report(choice.expected, value);
  return result;
}

/** `contextId` gives `context_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What an operation takes or gives where it takes or gives nothing. */
export type Empty = Record<string, never>;

/** `google.protobuf.Empty` as a request or response: nothing, `null`, or an object whose members do not matter. */
export const EmptySchema: Schema<Empty> = /* @__PURE__ */ schema<Empty>({
  name: "Empty",
  check: (value, run) => (value === undefined || value === null || isObject(value) ? {} : run.report("nothing", value)),
});

/** A result that is nothing, which JSON writes as `null`. */
export const NullSchema: Schema<null> = /* @__PURE__ */ schema<null>({
  name: "null",
  nullable: true,
  check: (value, run) => (value === undefined || value === null || isObject(value) ? null : run.report("null", value)),
});
