import {
  isJsonArray,
  isJsonObject,
  isJsonValue,
  isObject,
  maxDepth,
  type AnyObject,
} from "../base/json.js";
import { isUtcTimestamp, parseDuration } from "../base/time.js";

export { isJsonArray, isJsonObject, isJsonValue, isObject };

/** Returns whether `value` is a list at a depth below the maximum. */
export function isArray(value: unknown, depth: number): value is unknown[] {
  return Array.isArray(value) && depth < maxDepth;
}

/** Returns whether `value` is a list of strings. */
export function isTextList(value: unknown, depth = 0): value is string[] {
  if (!isArray(value, depth)) return false;
  // Iterate by index, which is faster than an iterator.
  for (let at = 0; at < value.length; at += 1) if (typeof value[at] !== "string") return false;
  return true;
}

/** Returns whether `value` is a list and `item` accepts every element. */
export function isListOf(
  value: unknown,
  item: (value: unknown, depth: number) => boolean,
  depth = 0,
): boolean {
  if (!Array.isArray(value) || depth >= maxDepth) return false;
  for (const element of value as unknown[]) if (!item(element, depth + 1)) return false;
  return true;
}

/** Returns whether {@link isListOf} accepts `value`, and the list has at least one element. */
export function isNonEmptyListOf(
  value: unknown,
  item: (value: unknown, depth: number) => boolean,
  depth = 0,
): boolean {
  return isListOf(value, item, depth) && (value as unknown[]).length > 0;
}

/**
 * Returns whether `value` is an object, `key` accepts all of its keys, and `item` accepts all of
 * its members.
 */
export function isMapOf(
  value: unknown,
  key: (key: string) => boolean,
  item: (value: unknown, depth: number) => boolean,
  depth = 0,
): boolean {
  if (!isObject(value, depth)) return false;
  for (const name of Object.keys(value))
    if (!key(name) || !item(value[name], depth + 1)) return false;
  return true;
}

/** Returns whether `value` is a string. */
export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns whether `value` is a boolean. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** Returns whether `value` is a boolean as a string, as in the key of a map. */
export function isBooleanText(value: unknown): boolean {
  return value === "true" || value === "false";
}

/** Returns whether `value` is a signed 32-bit integer. */
export function isInt32(value: unknown): value is number {
  return typeof value === "number" && (value | 0) === value;
}

/** Returns whether `value` is an unsigned 32-bit integer. */
export function isUint32(value: unknown): value is number {
  return typeof value === "number" && value >>> 0 === value;
}

const decimal = /^(?:0|-?[1-9]\d{0,19})$/;

/**
 * Returns whether `value` is the decimal string of a signed 32-bit integer, as in the key of a map.
 */
export function isInt32Text(value: unknown): boolean {
  return typeof value === "string" && decimal.test(value) && isInt32(Number(value));
}

/**
 * Returns whether `value` is the decimal string of an unsigned 32-bit integer, as in the key of a
 * map.
 */
export function isUint32Text(value: unknown): boolean {
  return typeof value === "string" && decimal.test(value) && isUint32(Number(value));
}

/** Returns whether `value` is the decimal string of a signed 64-bit integer. */
export function isInt64(value: unknown): value is string {
  return (
    typeof value === "string" &&
    decimal.test(value) &&
    BigInt.asIntN(64, BigInt(value)) === BigInt(value)
  );
}

/** Returns whether `value` is the decimal string of an unsigned 64-bit integer. */
export function isUint64(value: unknown): value is string {
  return (
    typeof value === "string" &&
    decimal.test(value) &&
    BigInt.asUintN(64, BigInt(value)) === BigInt(value)
  );
}

/**
 * Returns whether `value` is a finite number, or the name of a number that JSON cannot represent.
 */
export function isDouble(value: unknown): value is number | "NaN" | "Infinity" | "-Infinity" {
  if (typeof value === "number") return Number.isFinite(value);
  return value === "NaN" || value === "Infinity" || value === "-Infinity";
}

/** Returns whether {@link isDouble} accepts `value`, and the number fits into 32 bits. */
export function isFloat(value: unknown): value is number | "NaN" | "Infinity" | "-Infinity" {
  return isDouble(value) && (typeof value === "string" || Number.isFinite(Math.fround(value)));
}

const base64Text = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/;

/**
 * Returns whether `value` is base64 in its canonical form: standard alphabet, padded, unused bits
 * zero (RFC 4648).
 */
export function isBase64(value: unknown): value is string {
  return typeof value === "string" && value.length % 4 === 0 && base64Text.test(value);
}

/** Returns whether `value` is an RFC 3339 timestamp in UTC, with `T` and `Z`. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && isUtcTimestamp(value);
}

/** Returns whether `value` is a duration in seconds, such as `1.5s`. */
export function isDuration(value: unknown): value is string {
  return typeof value === "string" && parseDuration(value) !== undefined;
}

const paths = /^(?:[A-Za-z0-9.]+(?:,[A-Za-z0-9.]+)*)?$/;

/** Returns whether `value` is a field mask: paths of camelCase names, separated by commas. */
export function isFieldMask(value: unknown): value is string {
  return typeof value === "string" && paths.test(value);
}

/** Returns the paths of a field mask in camelCase, which JSON requires. */
export function camelCasePaths(paths: string): string {
  return paths.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns whether `value` is a type URL, which has a name after its last slash. */
export function isTypeUrl(value: unknown): boolean {
  return typeof value === "string" && /\/[^/]+$/.test(value);
}

/**
 * Returns whether `value` is the JSON of a `google.protobuf.Any`: an object with a type URL in
 * `@type`, or empty.
 */
export function isAny(value: unknown, depth = 0): value is AnyObject {
  if (!isJsonObject(value, depth)) return false;
  const url: unknown = value["@type"];
  return url === undefined ? Object.keys(value).length === 0 : isTypeUrl(url);
}

/** Returns whether `value` is `null`. */
export function isNull(value: unknown): value is null {
  return value === null;
}

/**
 * Returns an own property of an object. Inherited properties, such as `constructor`, are
 * `undefined`.
 */
export function ownMember<T extends object, K extends keyof T>(
  object: T,
  key: K,
): T[K] | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
