/** Any value that JSON can represent. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object with any keys, such as the JSON of a `google.protobuf.Struct`. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/**
 * The JSON of a `google.protobuf.Any`: an object with a type URL in `@type`, or an empty object if
 * it has no value.
 */
export type AnyObject = JsonObject & { "@type"?: string };

/** Maximum nesting of objects and lists, for every check and every codec. */
export const maxDepth = 100;

/** An object with unchecked members, and with the keys of `T`. */
export type Unchecked<T> = object & { readonly [K in Named<T>]?: unknown } & Others<T>;

/**
 * The names of the declared members. A mapped type over these names has no doc comments, such as
 * `@deprecated`.
 */
type Named<T> = keyof { [K in keyof T as string extends K ? never : K & string]: true } & string;

/** The index signature for other members. */
type Others<T> = string extends keyof T ? { readonly [key: string]: unknown } : unknown;

/** Returns whether `value` is an object, not a list, at a depth below {@link maxDepth}. */
export function isObject<T extends object = Record<string, unknown>>(
  value: unknown,
  depth = 0,
): value is Unchecked<T> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && depth < maxDepth;
}

/** Members that a value must have, possibly in nested objects. */
export interface ExpectedMembers {
  readonly [key: string]: ExpectedMembers | string | true;
}

/** Returns whether a value is an object with these members, and possibly others. */
export function hasMembers(value: unknown, members: ExpectedMembers): boolean {
  return (
    isObject(value) &&
    Object.entries(members).every(([key, expected]) =>
      typeof expected === "object" ? hasMembers(value[key], expected) : value[key] === expected,
    )
  );
}

/** Returns whether `value` is JSON: finite numbers only, nested at most {@link maxDepth} deep. */
export function isJsonValue(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  return Array.isArray(value) ? isJsonArray(value, depth) : isJsonObject(value, depth);
}

/** Returns whether `value` is a list of JSON values. */
export function isJsonArray(value: unknown, depth = 0): value is JsonValue[] {
  if (!Array.isArray(value) || depth >= maxDepth) return false;
  // For speed, `isJsonArray` and `isJsonObject` check the most common types without a function
  // call, and lists are read by index.
  for (let at = 0; at < value.length; at += 1) {
    const item: unknown = value[at];
    if (typeof item === "string" || (typeof item === "number" && Number.isFinite(item))) continue;
    if (!isJsonValue(item, depth + 1)) return false;
  }
  return true;
}

/** Returns whether `value` is an object whose members are all JSON values. */
export function isJsonObject(value: unknown, depth = 0): value is JsonObject {
  if (!isObject(value, depth)) return false;
  // This loop is twice as fast as listing the keys first. It skips inherited members.
  for (const key in value) {
    const member = value[key];
    if (typeof member === "string" || (typeof member === "number" && Number.isFinite(member)))
      continue;
    if (!isJsonValue(member, depth + 1) && Object.hasOwn(value, key)) return false;
  }
  return true;
}
