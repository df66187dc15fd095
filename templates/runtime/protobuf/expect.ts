import { unexpected } from "./encode-error.js";

/** Checks that a message is an object. Throws an `EncodeError` that names its type where it is none. */
export function object(value: unknown, name: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unexpected(name, value);
}

/** Checks that an object that has no members hides none, as a `Date` or a `Map` does. Throws an `EncodeError` otherwise. */
export function plain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw unexpected("plain JSON object", value);
}

/** Returns a list, or an empty one where it is absent. Throws an `EncodeError` for what is no list. */
export function list<T>(value: readonly T[] | undefined): readonly T[] {
  if (value !== undefined && !Array.isArray(value)) throw unexpected("a list", value);
  return value ?? none;
}

const none: readonly never[] = [];

/** Returns the entries of a map, none where it is absent. Throws an `EncodeError` for what is no map. */
export function* entries<M extends object>(map: M | undefined): Generator<[key: string, item: M[keyof M & string]]> {
  if (map === undefined) return;
  object(map, "a map");
  // One after the other, so that what is read last is what is written next.
  for (const key in map) if (Object.hasOwn(map, key)) yield [key, map[key]];
}

/** Checks that of the members of a oneof, whose `names` are given, at most one is there. Throws an `EncodeError` for more. */
export function atMostOne(value: object, names: readonly string[], ...members: readonly unknown[]): void {
  let there = 0;
  for (const member of members) if (member !== undefined) there += 1;
  if (there > 1) throw unexpected(`at most one of ${names.join(", ")}`, value, value);
}

/** Checks that a constant is that of one of the members of a union. Throws an `EncodeError` for any other. */
export function constant(value: string, ...known: readonly string[]): void {
  if (!known.includes(value)) throw unexpected(known.map((text) => JSON.stringify(text)).join(" or "), value);
}

/** Checks a field that has no other value than `null`. */
export function nothing(value: unknown): void {
  if (value !== null) throw unexpected("null", value);
}

/** Returns whether a value is there. What is written may lack even what its type requires. */
export function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Returns whether a boolean is true. Throws an `EncodeError` for what is no boolean. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw unexpected("boolean", value);
}

/** The key of a map, as a boolean. */
export function booleanKey(key: string): boolean {
  if (key === "true" || key === "false") return key === "true";
  throw unexpected("a key that is true or false", key);
}

/** The key of a map, as a number of 32 bits; that it is one with or without a sign is for the writer to check. */
export function numberKey(key: string): number {
  const number = Number(key);
  if (String(number) === key) return number;
  throw unexpected("a key that is a 32-bit integer", key);
}
