import { isObject } from "../base/json.js";
import { schema, type ValidationContext, type Schema, type Type } from "./schema.js";
import { enumType } from "./types.js";

/** A field of a message: its type, and what its absence means. */
export interface Field {
  readonly type: Type<unknown>;
  readonly presence: "required" | "optional" | "implicit";
  /** The oneof that the field belongs to. */
  readonly oneof?: string;
  /** Set for a required field whose absence in a tolerant check means its default. */
  readonly maybeEmpty?: true;
  /** Set where one member of the oneof has to be there. */
  readonly exactlyOne?: true;
  /** The name in the proto, where it is not the snake_case form of the JSON name. */
  readonly protoName?: string;
}

/** A field that has to be there. */
export const required = (type: Type<unknown>): Field => ({ type, presence: "required" });
/** A required field that peers leave out if it has its default, as ProtoJSON does: a tolerant check puts it back. */
export const maybeEmpty = (type: Type<unknown>): Field => ({ type, presence: "required", maybeEmpty: true });
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

/** What there may be one of: a field, or one member of a oneof. */
interface Slot {
  /** What is expected where there are more, or too few: of a oneof its members, since its name is nowhere in JSON. */
  readonly expected: string;
}

/**
 * A field as a check looks it up. All of them have the same members in the same order, and carry the functions of their
 * types: an engine finds what it needs several times faster than in types of many shapes.
 */
interface Entry extends Slot {
  readonly name: string;
  readonly type: Type<unknown>;
  readonly check: Type<unknown>["check"];
  /** Returns whether the canonical form leaves a value out. */
  readonly isDefault: Type<unknown>["isDefault"];
  readonly oneof: Slot | undefined;
  /** Default that a tolerant check gives a field that is absent. */
  readonly absent: unknown;
}

/** The fields of a message, as a check looks them up. */
export interface Table {
  /** Every name that a field goes by, JSON and proto. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** What has to be there. */
  readonly needed: readonly (Entry | Slot)[];
}

/**
 * The schema of a message. `fields` returns every field by its JSON name; it is called at the first use, so that messages
 * can refer to one another.
 */
export function message<T>(
  name: string,
  fields: () => { readonly [K in keyof NoInfer<T> & string]: Field },
): Schema<T> {
  let table: Table | undefined;
  const known = (): Table => (table ??= compile(Object.entries<Field>(fields())));
  return schema<T>({
    name,
    check(value, context) {
      if (!isObject(value)) {
        context.report(name, value);
        return undefined;
      }
      if (context.tooDeep(value)) return undefined;
      return checkFields(known(), value, context) as T;
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
  const oneofs = new Map<string, Slot>();
  const needed = new Set<Entry | Slot>();
  const entries = new Map<string, Entry>();
  const all = fields.map(
    ([name, { type, presence, oneof, exactlyOne, maybeEmpty, protoName = snakeCase(name) }]): Entry => {
      if (oneof !== undefined && !oneofs.has(oneof)) {
        const members = fields.filter(([, field]) => field.oneof === oneof).map(([member]) => member);
        oneofs.set(oneof, { expected: `${exactlyOne ? "exactly" : "at most"} one of ${members.join(", ")}` });
      }
      const entry = {
        expected: `${name} once`,
        name,
        type,
        check: type.check,
        isDefault: presence === "implicit" ? type.isDefault : undefined,
        oneof: oneof === undefined ? undefined : oneofs.get(oneof),
        absent: maybeEmpty && ["", 0, false].find((value) => type.isDefault?.(value)),
      };
      if (exactlyOne || presence === "required") needed.add(entry.oneof ?? entry);
      entries.set(protoName, entry);
      return entry;
    },
  );
  for (const entry of all) entries.set(entry.name, entry);
  return { entries, needed: [...needed] };
}

/**
 * Checks the fields of an object, and returns a copy of those that are there in their canonical form where the check is
 * lenient, and else the object. Ignores other members.
 */
export function checkFields(
  table: Table,
  value: Readonly<Record<string, unknown>>,
  context: ValidationContext,
): Record<string, unknown> {
  const result: Record<string, unknown> = context.lenient ? {} : value;
  const seen: (Entry | Slot)[] = [];
  // What is there, and not what could be: that is several times less, and an engine knows where in the object it is.
  for (const key in value) {
    const entry = table.entries.get(key);
    const given = value[key];
    if (entry === undefined || given === undefined) continue;
    const { name, type, check, isDefault, oneof = entry } = entry;
    if (context.lenient ? given === null && type.nullable !== true : name !== key) continue;
    if (seen.includes(oneof)) context.report(oneof.expected, value);
    seen.push(oneof);
    context.path.push(key);
    const checked = check(given, context);
    context.path.pop();
    if (context.lenient && checked !== undefined && isDefault?.(checked) !== true) result[name] = checked;
  }
  for (const slot of table.needed) if (!seen.includes(slot)) miss(slot, value, context, result, table);
  return result;
}

/**
 * Deals with what has to be there and is not: in a tolerant check lists are empty, some fields have their
 * default, and oneofs may have other members.
 */
function miss(
  slot: Entry | Slot,
  value: Readonly<Record<string, unknown>>,
  context: ValidationContext,
  result: Record<string, unknown>,
  { entries }: Table,
): void {
  if (!("type" in slot)) {
    const others = Object.keys(value).filter((key) => !entries.has(key)).length;
    // A whole response of anything may be from somebody who does not speak the protocol.
    const isUnknown = context.path.length > 0 ? others > 0 : others === 1;
    const isLeft = isUnknown && context.mayKeep(value);
    if (isLeft) Object.assign(result, { ...value, ...result });
    context.report(slot.expected, value, isLeft);
  } else if (context.tolerant && slot.type.element) result[slot.name] = [];
  else if (context.tolerant && slot.absent !== undefined) result[slot.name] = slot.absent;
  else context.reportAt(slot.name, slot.type.name, undefined);
}

/** Returns `context_id` for `contextId`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The request or response of an operation that has none. */
export type Empty = Record<string, never>;

/** `google.protobuf.Empty` as a request or response: nothing, `null`, or an object whose members do not matter. */
export const EmptySchema: Schema<Empty> = /* @__PURE__ */ schema<Empty>({
  name: "Empty",
  check(value, context) {
    if (value === undefined || value === null || isObject(value)) return {};
    context.report("nothing", value);
    return undefined;
  },
});

/** A result that is nothing, which JSON writes as `null`. */
export const NullSchema: Schema<null> = /* @__PURE__ */ schema<null>({
  name: "null",
  nullable: true,
  check(value, context) {
    if (value === undefined || value === null || isObject(value)) return null;
    context.report("null", value);
    return undefined;
  },
});
