import {
  isJsonArray,
  isJsonObject,
  isJsonValue,
  isObject,
  type JsonObject,
  type JsonValue,
} from "../base/json.js";
import {
  camelCasePaths,
  isBase64,
  isBoolean,
  isBooleanText,
  isDouble,
  isFieldMask,
  isFloat,
  isInt32,
  isInt64,
  isString,
  isUint32,
  isUint64,
} from "./predicates.js";
import type { ValidationContext, Type } from "./schema.js";
import { isPlain } from "../base/unknown-fields.js";
import { canonicalDuration, canonicalTimestamp } from "../base/time.js";

/** A number in ProtoJSON. JSON cannot represent the last three values as numbers. */
export type JsonNumber = number | "NaN" | "Infinity" | "-Infinity";

/**
 * Returns the type of the values that `read` returns. `read` returns `undefined` for any other
 * value. If deviations are forgiven, it also reads the string that a peer means by another string.
 */
function scalar<T>(
  name: string,
  read: (value: unknown, context: ValidationContext) => T | undefined,
  zero?: T,
): Type<T> {
  return {
    name,
    check(value, context) {
      let found = read(value, context);
      if (found !== undefined) return found;
      const meant = isString(value) ? context.forgiver?.meantBy(value, name) : undefined;
      if (meant !== undefined) found = read(meant, context);
      context.report(name, value, found !== undefined);
      return found;
    },
    isDefault: (value) => value === zero,
  };
}

/**
 * Returns the type of the values for which `accepts` returns true. A lenient check also accepts a
 * value if `relax` converts it to such a value. `zero` is the default.
 */
function plain<T>(
  name: string,
  accepts: (value: unknown) => value is T,
  zero?: T,
  relax?: (value: unknown, context: ValidationContext) => unknown,
): Type<T> {
  const read = (value: unknown, context: ValidationContext): T | undefined => {
    if (accepts(value)) return value;
    const relaxed = context.lenient ? relax?.(value, context) : undefined;
    return accepts(relaxed) ? relaxed : undefined;
  };
  return scalar(name, read, zero);
}

const number = /^-?(?:0|[1-9]\d{0,308})(?:\.\d{1,308})?(?:[eE][+-]?\d{1,3})?$/;
/** Converts a string in JSON notation to a number. Returns any other value unchanged. */
export const numberOf = (value: unknown): unknown =>
  typeof value === "string" && number.test(value) ? Number(value) : value;
const normalZero = (value: unknown): unknown => (value === 0 ? 0 : value);
const wholeNumberOf = (value: unknown): unknown => normalZero(numberOf(value));

/**
 * Converts an integer to a decimal string. A string in another notation, such as `1e3`, must be a
 * safe integer, because parsing a larger number may lose digits.
 */
function decimalOf(value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  const whole = typeof value === "string" && number.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(whole) ? String(normalZero(whole)) : value;
}

/**
 * Converts base64 in either alphabet, with or without padding, to the padded standard alphabet.
 * Sets unused bits to 0.
 */
function standardBase64(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const digits = value
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "");
  // `atob` would ignore spaces.
  if (/[\s=]/.test(digits)) return value;
  try {
    return btoa(atob(digits));
  } catch {
    return value;
  }
}

/**
 * Returns a type of timestamps or durations. A strict check only accepts strings that match
 * `strict`; a lenient check converts the other forms with `canonical`.
 */
function moment(
  name: string,
  strict: RegExp,
  canonical: (text: string) => string | undefined,
): Type<string> {
  return scalar(name, (value, context) => {
    if (!isString(value)) return undefined;
    if (context.lenient) return canonical(value);
    // A strict check does not change the value, such as the number of digits of a fraction.
    return strict.test(value) && canonical(value) !== undefined ? value : undefined;
  });
}

/** Type of strings. */
export const string: Type<string> = /* @__PURE__ */ plain("string", isString, "");
/** Type of signed 32-bit integers. Lenient checks also accept strings. */
export const int32: Type<number> = /* @__PURE__ */ plain(
  "32-bit integer",
  isInt32,
  0,
  wholeNumberOf,
);
/** Type of unsigned 32-bit integers. */
export const uint32: Type<number> = /* @__PURE__ */ plain(
  "unsigned 32-bit integer",
  isUint32,
  0,
  wholeNumberOf,
);
/** Type of signed 64-bit integers, as decimal strings. */
export const int64: Type<string> = /* @__PURE__ */ plain(
  "64-bit integer as a string",
  isInt64,
  "0",
  decimalOf,
);
/** Type of unsigned 64-bit integers, as decimal strings. */
export const uint64: Type<string> = /* @__PURE__ */ plain(
  "unsigned 64-bit integer as a string",
  isUint64,
  "0",
  decimalOf,
);
/** Type of 64-bit numbers. */
export const double: Type<JsonNumber> = /* @__PURE__ */ plain("number", isDouble, 0, numberOf);
/** Type of 32-bit numbers. */
export const float: Type<JsonNumber> = /* @__PURE__ */ plain("32-bit number", isFloat, 0, numberOf);
/** Type of bytes, as base64. */
export const bytes: Type<string> = /* @__PURE__ */ plain("base64", isBase64, "", standardBase64);
const utc = "RFC 3339 timestamp in UTC";
/** Type of `google.protobuf.Timestamp`: RFC 3339 in UTC, with upper-case letters. */
export const timestamp: Type<string> = /* @__PURE__ */ moment(utc, /Z$/, (text) =>
  /[tz]/.test(text) ? undefined : canonicalTimestamp(text),
);
/**
 * Type of RFC 3339 timestamps with upper-case or lower-case letters, like the format `date-time` in
 * JSON Schema.
 */
export const dateTime: Type<string> = /* @__PURE__ */ moment(utc, /T.*Z$/, canonicalTimestamp);
/** Type of `google.protobuf.Duration`: seconds with the suffix `s`. */
export const duration: Type<string> = /* @__PURE__ */ moment(
  'duration such as "1.5s"',
  /s$/,
  canonicalDuration,
);
/**
 * Type of `google.protobuf.FieldMask`: camelCase paths, separated by commas. In a path or a query,
 * paths may also have the names in the proto.
 */
export const fieldMask: Type<string> = /* @__PURE__ */ plain(
  "field mask",
  isFieldMask,
  "",
  (value, { text }) => (text && isString(value) ? camelCasePaths(value) : value),
);

/** Type of booleans. In a path or a query, booleans are the strings `true` and `false`. */
export const boolean: Type<boolean> = /* @__PURE__ */ plain(
  "boolean",
  isBoolean,
  false,
  (value, { text }) => (text && isBooleanText(value) ? value === "true" : value),
);

/**
 * Returns a type of JSON values. Issues inside a value are reported with their own paths, if
 * `hasMembers` accepts the value.
 */
function json<T>(
  name: string,
  accepts: (value: unknown, depth: number) => value is T,
  hasMembers: (value: unknown) => value is object,
): Type<T> {
  return {
    name,
    check(given, context) {
      if (accepts(given, context.path.length)) return given;
      const before = context.issues.length;
      if (hasMembers(given) && !context.tooDeep(given)) {
        // `Object.entries` would skip holes in lists.
        const members: Iterable<readonly [string | number, unknown]> = Array.isArray(given)
          ? given.entries()
          : Object.entries(given);
        for (const [key, member] of members) context.at(key, value, member);
      }
      if (context.issues.length === before) context.report(name, given);
      return undefined;
    },
  };
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Type of `google.protobuf.Struct`: any JSON object. */
export const struct: Type<JsonObject> = /* @__PURE__ */ json("JSON object", isJsonObject, isObject);

/** Type of `google.protobuf.ListValue`: any JSON list. */
export const listValue: Type<JsonValue[]> = /* @__PURE__ */ json(
  "JSON list",
  isJsonArray,
  Array.isArray,
);

/** Type of `google.protobuf.Value`: any JSON value, including `null`. */
export const value: Type<JsonValue> = /* @__PURE__ */ Object.assign(
  /* @__PURE__ */ json("JSON value", isJsonValue, isNested),
  {
    nullable: true,
  } as const,
);

/** Type of `google.protobuf.NullValue`: `null`. */
export const nullValue: Type<null> = {
  name: "null",
  nullable: true,
  check(value, context) {
    const isEnumValue = value === "NULL_VALUE" || value === 0;
    if (value === null || (context.lenient && isEnumValue)) return null;
    context.report("null", value);
    return undefined;
  },
  isDefault: () => true,
};

/** Type of `google.protobuf.Empty` as a field: an object without fields. */
export const empty: Type<Record<string, never>> = {
  name: "empty object",
  check(value, context) {
    if (isObject(value)) return {};
    context.report("empty object", value);
    return undefined;
  },
};

/**
 * Returns the type of an enum from its names and their numbers. The mode `open` accepts other
 * numbers.
 */
export function enumType<T extends string>(
  name: string,
  numbers: { readonly [K in T]: number },
): Type<T> {
  const isName = (value: unknown): value is T =>
    typeof value === "string" && Object.hasOwn(numbers, value);
  const names = Object.keys(numbers);
  const expected = `${name} (${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""})`;
  return {
    name,
    check(value, context) {
      if (isName(value)) return value;
      const number = context.text ? numberOf(value) : value;
      const [found] = Object.entries(numbers).find(([, known]) => known === number) ?? [];
      if (context.lenient && isName(found)) return found;
      if (context.mode === "open" && isInt32(value)) return value as unknown as T;
      const isLeft = context.tolerant && (isString(value) || isInt32(value));
      context.report(expected, value, isLeft);
      return isLeft ? (value as T) : undefined;
    },
    isDefault: (value) => numbers[value] === 0,
  };
}

/** Returns the type of lists with elements of one type. */
export function list<T>(
  element: Type<T>,
  { nonEmpty = false }: { readonly nonEmpty?: boolean } = {},
): Type<T[]> {
  const expected = `a list of ${nonEmpty ? "at least one " : ""}${element.name}`;
  return {
    name: expected,
    element,
    check(value, context) {
      // A query parameter that occurs once is a list of one element.
      const isSingle = context.text && value !== undefined && !Array.isArray(value);
      const given: unknown = isSingle ? [value] : value;
      if (!Array.isArray(given) || (nonEmpty && !context.tolerant && given.length === 0)) {
        context.report(expected, value);
        return undefined;
      }
      if (context.tooDeep(value)) return undefined;
      let result = given as T[];
      for (let index = 0; index < result.length && !context.full; index += 1) {
        const item = result[index];
        const checked = context.element(index, element, item);
        if (!context.lenient || checked === undefined || checked === item) continue;
        // Copy the list at the first difference from the canonical form. Appending to an empty list
        // would reserve space for 17 elements at once.
        if (result === given) result = [...result];
        result[index] = checked;
      }
      return result;
    },
    isDefault: (items) => items.length === 0,
  };
}

/** Returns the type of objects whose keys `key` accepts, and whose members have one type. */
export function map<T>(
  item: Type<T>,
  key: (key: string) => boolean = isString,
): Type<Record<string, T>> {
  const expected = `a map of ${item.name}`;
  return {
    name: expected,
    entry: item,
    check(value, context) {
      if (!isObject(value)) {
        context.report(expected, value);
        return undefined;
      }
      if (context.tooDeep(value)) return undefined;
      const entries: [string, T][] = [];
      let isCanonical = isPlain(value);
      for (const [name, given] of Object.entries(value)) {
        if (!key(name)) {
          context.report("a valid key", name);
          continue;
        }
        const checked = context.element(name, item, given);
        if (checked !== given || checked === undefined) isCanonical = false;
        if (checked !== undefined) entries.push([name, checked]);
      }
      if (!context.lenient || isCanonical) return value as Record<string, T>;
      return Object.fromEntries(entries);
    },
    isDefault: (members) => Object.keys(members).length === 0,
  };
}

/** Returns a reference to a type that may be declared later, for recursive types. */
export function lazy<T>(name: string, type: () => Type<T>): Type<T> {
  return {
    name,
    check: (value, context) => type().check(value, context),
    field: (key) => type().field?.(key),
  };
}
