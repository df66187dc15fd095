import { unexpected } from "./encode-error.js";

/**
 * Checks that a message is an object. Throws an `EncodeError` with the name of its type otherwise.
 */
export function expectObject(value: unknown, name: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unexpected(name, value);
}

/**
 * Checks that an object without members is a plain object, and not, for example, a `Date` or a
 * `Map`. Throws an `EncodeError` otherwise.
 */
export function plain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw unexpected("plain JSON object", value);
}

/**
 * Returns a list, or an empty list if it is absent. Throws an `EncodeError` for any other value.
 */
export function expectList<T>(value: readonly T[] | undefined): readonly T[] {
  if (value !== undefined && !Array.isArray(value)) throw unexpected("a list", value);
  return value ?? emptyList;
}

const emptyList: readonly never[] = [];

/**
 * Yields the entries of a map, which may be absent. Throws an `EncodeError` for any other value.
 */
export function* entries<M extends object>(
  map: M | undefined,
): Generator<[key: string, item: M[keyof M & string]]> {
  if (map === undefined) return;
  expectObject(map, "a map");
  // Yield entries one by one, so that the member that was read last is the member that is written
  // next.
  for (const key in map) if (Object.hasOwn(map, key)) yield [key, map[key]];
}

/**
 * Checks that at most one member of a oneof is set. Throws an `EncodeError` with their `names`
 * otherwise.
 */
export function atMostOne(
  value: object,
  names: readonly string[],
  ...members: readonly unknown[]
): void {
  let count = 0;
  for (const member of members) if (member !== undefined) count += 1;
  if (count > 1) throw unexpected(`at most one of ${names.join(", ")}`, value, value);
}

/** Checks that a discriminator has one of the known values. Throws an `EncodeError` otherwise. */
export function constant(value: string, ...known: readonly string[]): void {
  if (!known.includes(value))
    throw unexpected(known.map((text) => JSON.stringify(text)).join(" or "), value);
}

/** Checks that the value is `null`. */
export function expectNull(value: unknown): void {
  if (value !== null) throw unexpected("null", value);
}

/** Returns whether a value is present. At run time, even required fields may be absent. */
export function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Returns a boolean. Throws an `EncodeError` for any other value. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw unexpected("boolean", value);
}

/** Returns the key of a map as a boolean. */
export function booleanKey(key: string): boolean {
  if (key === "true" || key === "false") return key === "true";
  throw unexpected("a key that is true or false", key);
}

/** Returns the key of a map as a number. The writer checks its range. */
export function numberKey(key: string): number {
  const number = Number(key);
  if (String(number) === key) return number;
  throw unexpected("a key that is a 32-bit integer", key);
}
