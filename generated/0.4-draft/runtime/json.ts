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
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      if (value === null) return true;
      return Array.isArray(value) ? isJsonArray(value, depth) : isJsonObject(value, depth);
    default:
      return false;
  }
}

/** Tells whether `value` is a list of JSON values. */
export function isJsonArray(value: unknown, depth = 0): value is JsonValue[] {
  if (!Array.isArray(value) || depth >= maxDepth) return false;
  for (const item of value as unknown[]) if (!isJsonValue(item, depth + 1)) return false;
  return true;
}

/** Tells whether `value` is an object whose members are all JSON values. */
export function isJsonObject(value: unknown, depth = 0): value is JsonObject {
  if (!isObject(value, depth)) return false;
  for (const key of Object.keys(value)) if (!isJsonValue(value[key], depth + 1)) return false;
  return true;
}
