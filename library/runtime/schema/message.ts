import { isObject } from "../base/json.js";
import { isPlain } from "../base/unknown-fields.js";
import {
  check,
  schema,
  type Given,
  type Member,
  type Schema,
  type Type,
  type ValidationContext,
} from "./schema.js";
import { boolean, enumType, string } from "./types.js";

/** A field of a message: its type, and the meaning of its absence. */
export interface Field {
  readonly type: Type<unknown>;
  readonly presence: "required" | "optional" | "implicit";
  /** The oneof that the field belongs to. */
  readonly oneof?: string;
  /**
   * Set if the field is required, but a tolerant check that forgives deviations adds an absent
   * value.
   */
  readonly maybeEmpty?: true;
  /** Set if exactly one member of the oneof is required. */
  readonly exactlyOne?: true;
  /** The name in the proto, if it is not the snake_case form of the JSON name. */
  readonly protoName?: string;
  /** The name under which some peers send the field. */
  readonly alias?: string;
}

/** Returns a required field. */
export const required = (type: Type<unknown>): Field => ({ type, presence: "required" });
/**
 * Returns a required field that some peers omit. If the field is absent and deviations are
 * forgiven, a tolerant check adds its default.
 */
export const maybeEmpty = (type: Type<unknown>): Field => ({
  type,
  presence: "required",
  maybeEmpty: true,
});
/** Returns an optional field for which absence and the default value have different meanings. */
export const optional = (type: Type<unknown>): Field => ({ type, presence: "optional" });
/**
 * Returns an optional field for which absence means the default value. The canonical form omits the
 * default.
 */
export const implicit = (type: Type<unknown>): Field => ({ type, presence: "implicit" });
/**
 * Returns a member of a oneof that may be empty. `oneof` is the name of the oneof, if the message
 * has several oneofs.
 */
export const atMostOne = (type: Type<unknown>, oneof = ""): Field => ({
  type,
  presence: "optional",
  oneof,
});
/**
 * Returns a member of a oneof that must not be empty. `oneof` is the name of the oneof, if the
 * message has several oneofs.
 */
export const exactlyOne = (type: Type<unknown>, oneof = ""): Field => ({
  type,
  presence: "optional",
  oneof,
  exactlyOne: true,
});
/** Returns a field whose name in the proto cannot be derived from its JSON name. */
export const named = (protoName: string, field: Field): Field => ({ ...field, protoName });
/** Returns a required field that some peers send under another name. */
export const also = (alias: string, field: Field): Field => ({ ...field, alias });

/** A position that holds at most one value: a field or a oneof. */
interface Slot {
  /**
   * Mask of the slot in the bit set of seen slots; 0 if the bit set has no bit left for the slot.
   */
  readonly bit: number;
  /**
   * The expected value in an issue about too many or too few values. Lists the members of a oneof,
   * because JSON does not contain the name of a oneof.
   */
  readonly expected: string;
}

/**
 * Precomputed data about a field, for fast checks. All entries have the same members in the same
 * order, and copy the functions of their types, because engines read properties several times
 * faster if all objects have the same shape.
 */
interface Entry extends Slot, Member {
  readonly check: Type<unknown>["check"];
  /** Returns whether the canonical form omits a value. */
  readonly isDefault: Type<unknown>["isDefault"];
  readonly oneof: Slot | undefined;
  /** The type that `typeof` returns for all values of the field, and only for them. */
  readonly primitive: "string" | "boolean" | undefined;
  /** The value of this type that the canonical form omits. */
  readonly zero: "" | false | undefined;
  /**
   * The entry that most recently followed this entry in a checked object. Most objects of a type
   * have their members in the same order, and comparing a name is faster than a look-up in the map.
   */
  next: Entry | undefined;
}

/** Precomputed data about the fields of a message, for fast checks. */
export interface Table {
  /** Entries by the JSON names and the proto names of the fields. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** The fields and oneofs that are required. */
  readonly needed: readonly (Entry | Slot)[];
  /** The entry with which the most recently checked object begins. */
  first: Entry | undefined;
}

/**
 * Creates the schema of a message. `fields` returns all fields by their JSON names. It is called at
 * the first use, so that messages can refer to each other.
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
      const inner = context.forgiver?.innerOf(value, name, known(), context);
      return checkFields(known(), inner ?? value, context) as T;
    },
    field: (key) => known().entries.get(key)?.type,
  });
}

/** Creates the schema of an enum from its names and their numbers. */
export function enumeration<T extends string>(
  name: string,
  numbers: { readonly [K in T]: number },
): Schema<T> {
  return schema(enumType(name, numbers));
}

/** Creates the table for fields, each given with its JSON name. */
export function compile(fields: readonly [string, Field][]): Table {
  const oneofs = new Map<string | undefined, Slot>();
  const needed = new Set<Entry | Slot>();
  const entries = new Map<string, Entry>();
  const all = fields.map(([name, field], index): Entry => {
    const {
      type,
      presence,
      oneof,
      exactlyOne,
      maybeEmpty,
      alias,
      protoName = snakeCase(name),
    } = field;
    // Engines only store integers of up to 31 bits without an allocation.
    const bit = index < 30 ? 1 << index : 0;
    if (oneof !== undefined && !oneofs.has(oneof)) {
      const members = fields
        .filter(([, member]) => member.oneof === oneof)
        .map(([member]) => member);
      oneofs.set(oneof, {
        bit,
        expected: `${exactlyOne ? "exactly" : "at most"} one of ${members.join(", ")}`,
      });
    }
    const primitive = type === string ? "string" : type === boolean ? "boolean" : undefined;
    const zero = primitive && (primitive === "string" ? "" : false);
    const entry: Entry = {
      bit,
      expected: protoName === name ? name : `only one of ${name} and ${protoName}`,
      name,
      type,
      check: type.check,
      isDefault: presence === "implicit" ? type.isDefault : undefined,
      oneof: oneofs.get(oneof),
      maybeEmpty,
      alias,
      primitive,
      zero: presence === "implicit" ? zero : undefined,
      next: undefined,
    };
    if (exactlyOne || presence === "required") needed.add(entry.oneof ?? entry);
    entries.set(protoName, entry);
    return entry;
  });
  // The JSON name of a field takes precedence over the same proto name of another field.
  for (const entry of all) entries.set(entry.name, entry);
  return { entries, needed: [...needed], first: undefined };
}

/**
 * Checks the fields of an object, and ignores other members. A lenient check returns the fields in
 * their canonical form: the object itself if it is in this form, and otherwise a copy, which shares
 * the canonical members. Any other check returns the object itself.
 */
export function checkFields(
  table: Table,
  value: Given,
  context: ValidationContext,
): Record<string, unknown> {
  const { lenient } = context;
  // The copy, which is made at the first difference from the canonical form.
  let copy: Record<string, unknown> | undefined;
  if (lenient && !isPlain(value)) copy = {};
  let seen = 0;
  // The seen slots without a bit.
  let seenOthers: (Entry | Slot)[] | undefined;
  let repeated: Slot | undefined;
  let last: Entry | undefined;
  let next = table.first;
  // Iterate over the present members instead of over all fields: they are far fewer, and engines
  // optimize this loop.
  for (const key in value) {
    const entry = next?.name === key ? next : table.entries.get(key);
    const given = value[key];
    if (entry === undefined || given === undefined) {
      if (lenient) copy ??= before(value, key);
      continue;
    }
    if (entry !== next) {
      if (last === undefined) table.first = entry;
      else last.next = entry;
    }
    last = entry;
    next = entry.next;
    const { name, type, check, isDefault, primitive, oneof: slot = entry } = entry;
    // In a lenient check, `null` counts as absent. In a strict check, a proto name is an unknown
    // member.
    if (lenient ? given === null && type.nullable !== true : name !== key) {
      if (lenient) copy ??= before(value, key);
      continue;
    }
    // A value may contain both the JSON name and the proto name of a field, or several members of a
    // oneof.
    const isSeen = (seen & slot.bit) !== 0 || seenOthers?.includes(slot);
    if (isSeen && repeated !== slot) {
      repeated = slot;
      context.report(slot.expected, value);
    }
    if (slot.bit === 0) (seenOthers ??= []).push(slot);
    seen |= slot.bit;
    let checked: unknown = given;
    let isKept = given !== entry.zero;
    if (typeof given !== primitive) {
      context.path.push(key);
      checked = check(given, context);
      context.path.pop();
      isKept = checked !== undefined && isDefault?.(checked) !== true;
    }
    if (!lenient || (copy === undefined && isKept && checked === given && name === key)) continue;
    copy ??= before(value, key);
    if (isKept) copy[name] = checked;
  }
  for (const slot of table.needed)
    if ((seen & slot.bit) === 0 && !seenOthers?.includes(slot)) {
      if (lenient) copy ??= before(value);
      miss(slot, value, context, copy ?? value, table);
    }
  return lenient ? (copy ?? value) : value;
}

/** Returns a copy of the members before `end`; of all members if it is absent. */
function before(value: Given, end?: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (key === end) break;
    copy[key] = value[key];
  }
  return copy;
}

/**
 * Handles a missing field or oneof. A tolerant check sets a missing list to an empty list, and
 * accepts a missing oneof if the object has unknown members.
 */
function miss(
  slot: Entry | Slot,
  value: Given,
  context: ValidationContext,
  result: Record<string, unknown>,
  { entries }: Table,
): void {
  if (!("type" in slot)) {
    const unknown = Object.keys(value).filter((key) => !entries.has(key)).length;
    // An unknown member may be a later member of the oneof. If a whole response contains several
    // unknown members, the server may not implement the protocol.
    const mayBeLater = context.path.length > 0 ? unknown > 0 : unknown === 1;
    const isLeft = mayBeLater && context.mayKeep(value);
    const found = isLeft ? value : context.forgiver?.bareIn(entries, slot, value, context, check);
    for (const [key, item] of Object.entries(found ?? {})) {
      // An assignment to this key would set the prototype, whose members are unchecked and
      // invisible in JSON.
      if (key !== "__proto__" && !Object.hasOwn(result, key)) result[key] = item;
    }
    context.report(slot.expected, value, found !== undefined);
  } else if (context.tolerant && slot.type.element) result[slot.name] = [];
  else {
    const { name, type } = slot;
    const read = context.forgiver?.restored(slot, value, context);
    if (read === undefined) context.reportAt(name, type.name, undefined);
    else result[name] = read.value;
  }
}

/** Converts a name to snake_case: `contextId` becomes `context_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Type of the request or response of an operation without data. */
export type Empty = Record<string, never>;

/**
 * Schema of `google.protobuf.Empty` as a request or response: absent, `null`, or an object with any
 * members.
 */
export const EmptySchema: Schema<Empty> = /* @__PURE__ */ schema<Empty>({
  name: "Empty",
  check(value, context) {
    if (value === undefined || value === null || isObject(value)) return {};
    context.report("nothing", value);
    return undefined;
  },
});

/** Schema of an absent result, which is `null` in JSON. */
export const NullSchema: Schema<null> = /* @__PURE__ */ schema<null>({
  name: "null",
  nullable: true,
  check(value, context) {
    if (value === undefined || value === null || isObject(value)) return null;
    context.report("null", value);
    return undefined;
  },
});
