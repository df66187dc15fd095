// Part of a2a-codegen 0.1.0. Do not edit.

/** Any value that JSON can express. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object with any keys, as `google.protobuf.Struct` carries it. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The JSON of a `google.protobuf.Any`: an object that names its type, or an empty one where it holds nothing. */
export type AnyObject = JsonObject & { "@type"?: string };

/** Objects and lists that may stand in one another at most, for every check and every codec. */
export const maxDepth = 100;

/** An object whose members have not been looked at yet, with the keys that `T` may have. */
export type Unchecked<T> = { readonly [K in keyof T]?: unknown };

/** Tells whether `value` is an object, not a list, and nested less than {@link maxDepth} deep. */
export function isObject<T extends object = Record<string, unknown>>(value: unknown, depth = 0): value is Unchecked<T> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && depth < maxDepth;
}

/** Tells whether `value` is JSON: finite numbers only, nested at most {@link maxDepth} deep. */
export function isJsonValue(value: unknown, depth = 0): value is JsonValue {
  return isJsonScalar(value) || (Array.isArray(value) ? isJsonArray(value, depth) : isJsonObject(value, depth));
}

/** Tells whether `value` is a list of JSON values. */
export function isJsonArray(value: unknown, depth = 0): value is JsonValue[] {
  if (!Array.isArray(value) || depth >= maxDepth) return false;
  // Scalars are looked at here and in the next function, rather than through a call for each of them.
  for (const item of value as unknown[]) if (!isJsonScalar(item) && !isJsonValue(item, depth + 1)) return false;
  return true;
}

/** Tells whether `value` is an object whose members are all JSON values. */
export function isJsonObject(value: unknown, depth = 0): value is JsonObject {
  if (!isObject(value, depth)) return false;
  // Twice as fast as to list the keys first; members that objects inherit do not count.
  for (const key in value) {
    const member = value[key];
    if (!isJsonScalar(member) && !isJsonValue(member, depth + 1) && Object.hasOwn(value, key)) return false;
  }
  return true;
}

function isJsonScalar(value: unknown): value is string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  return typeof value === "number" && Number.isFinite(value);
}
