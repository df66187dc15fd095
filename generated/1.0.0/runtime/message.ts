// Part of a2a-codegen 0.1.0. Do not edit.

import { isObject } from "./json.js";
import { schema, type Run, type Schema, type Type } from "./schema.js";
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
/** A member of a oneof of which at most one is there. */
export const atMostOne = (oneof: string, type: Type<unknown>): Field => ({ type, presence: "optional", oneof });
/** A member of a oneof of which exactly one is there. */
export const exactlyOne = (oneof: string, type: Type<unknown>): Field => ({
  type,
  presence: "optional",
  oneof,
  exactlyOne: true,
});
/** A field whose name in the proto does not follow from its JSON name. */
export const named = (protoName: string, field: Field): Field => ({ ...field, protoName });

/**
 * A field as a check looks it up. All of them have the same members in the same order, and carry the functions of their
 * types: an engine finds what it needs several times faster than in types of many shapes.
 */
interface Entry {
  readonly name: string;
  /** The name in the proto, unless that is the JSON name of another field. */
  readonly protoName: string;
  readonly type: Type<unknown>;
  readonly check: Type<unknown>["check"];
  readonly isRequired: boolean;
  /** Tells what the canonical form leaves out. */
  readonly isDefault: Type<unknown>["isDefault"];
  readonly oneof: Oneof | undefined;
}

interface Oneof {
  readonly name: string;
  /** One bit for each oneof of a message, from 1. */
  readonly bit: number;
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
  /** How many fields are required, and the bits of the oneofs that are. */
  readonly required: number;
  readonly needed: number;
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
      const fields = checkFields(known(), value, run);
      return (run.lenient ? fields : value) as T;
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
  const names = [...new Set(fields.flatMap(([, { oneof }]) => oneof ?? []))];
  const oneofs = names.map((name, index): Oneof => {
    const members = fields.filter(([, { oneof }]) => oneof === name);
    const isNeeded = members.some(([, { exactlyOne }]) => exactlyOne);
    const expected = `${isNeeded ? "exactly" : "at most"} one of ${members.map(([member]) => member).join(", ")}`;
    return { name, bit: 1 << index, isNeeded, expected };
  });
  const entries = new Map<string, Entry>();
  const jsonNames = new Set(fields.map(([name]) => name));
  const all = fields.map(([name, { type, presence, oneof, protoName = snakeCase(name) }]): Entry => {
    const entry = {
      name,
      protoName: jsonNames.has(protoName) ? name : protoName,
      type,
      check: type.check,
      isRequired: presence === "required",
      isDefault: presence === "implicit" ? type.isDefault : undefined,
      oneof: oneofs[names.indexOf(oneof ?? "")],
    };
    entries.set(protoName, entry);
    return entry;
  });
  for (const entry of all) entries.set(entry.name, entry);
  const required = all.filter(({ isRequired }) => isRequired).length;
  const needed = oneofs.reduce((bits, { bit, isNeeded }) => (isNeeded ? bits | bit : bits), 0);
  return { entries, all, oneofs, required, needed };
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Checks the fields of an object, and gives those that are there in their canonical form where the check is lenient.
 * Ignores other members.
 */
export function checkFields(table: Table, given: Members, run: Run): Record<string, unknown> {
  const value = membersOf(given, table, run);
  const result: Record<string, unknown> = {};
  let required = table.required;
  let chosen = 0;
  // A number has bits for 32 oneofs.
  let isOdd = table.oneofs.length > 32;
  for (const key in value) {
    const entry = table.entries.get(key);
    const member = value[key];
    if (entry === undefined || isAbsent(member, key, entry, run)) continue;
    const { name, check, isRequired, isDefault, oneof } = entry;
    if (name !== key && Object.hasOwn(value, name) && !isAbsent(value[name], name, entry, run)) {
      run.report(`${name} once`, value);
      continue;
    }
    if (isRequired) required -= 1;
    if (oneof !== undefined) {
      if ((chosen & oneof.bit) !== 0) isOdd = true;
      chosen |= oneof.bit;
    }
    run.path.push(name);
    const checked = check(member, run);
    run.path.pop();
    if (run.lenient && checked !== undefined && isDefault?.(checked) !== true) result[name] = checked;
  }
  if (isOdd || required > 0 || (table.needed & ~chosen) !== 0) reportWhole(table, value, run);
  return result;
}

/** The members of an object as an object that inherits nothing of its own: classes may have fields as accessors. */
function membersOf(value: Members, { all }: Table, run: Run): Members {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return value;
  if (run.lenient) return { ...value };
  const isField = ({ name }: Entry): boolean => !(name in Object.prototype) || Object.hasOwn(value, name);
  return Object.fromEntries(all.filter(isField).map(({ name }) => [name, value[name]]));
}

/** Whether a member says nothing: where a check is lenient, `null` does, and a name of the proto is as good as that of JSON. */
function isAbsent(given: unknown, key: string, { name, type }: Entry, { lenient }: Run): boolean {
  if (given === undefined) return true;
  return lenient ? given === null && type.nullable !== true : name !== key;
}

/** Reports required fields that are missing, and oneofs of which too many members are there, or none. */
function reportWhole({ all, oneofs }: Table, value: Members, run: Run): void {
  for (const entry of all)
    if (entry.isRequired && !isThere(entry, value, run)) run.at(entry.name, missing, entry.type.name);
  for (const oneof of oneofs) {
    let count = 0;
    for (const entry of all) if (entry.oneof === oneof && isThere(entry, value, run)) count += 1;
    if (count > 1 || (count === 0 && oneof.isNeeded)) run.report(oneof.expected, value);
  }
}

/** Whether a field is there under one of its names. */
function isThere(entry: Entry, value: Members, run: Run): boolean {
  const { name, protoName } = entry;
  if (Object.hasOwn(value, name) && !isAbsent(value[name], name, entry, run)) return true;
  return run.lenient && Object.hasOwn(value, protoName) && !isAbsent(value[protoName], protoName, entry, run);
}

/** Reports that something is missing; what is given to it is the name of what should be there. */
const missing: Type<never> = {
  name: "missing",
  check: (expected, run) => run.report(String(expected), undefined),
};

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
