// Part of a2a-codegen 0.1.0. Do not edit.

import { isObject } from "./json.js";
import { check, type Type } from "./schema.js";
import * as types from "./types.js";
import { decode, EncodeError, type Draft, type Read } from "./wire.js";

/** Sets what the bytes leave out of an object inside of another one, because it is the default. */
export { setId as fill } from "./resource.js";

/** Checks that at most one member of a oneof is there. Throws an {@link EncodeError} for more. */
export function atMostOne<T extends object>(value: T, members: readonly (keyof T)[]): void {
  const there = members.filter((member) => value[member] !== undefined);
  if (there.length > 1) throw new EncodeError(`protobuf carries only one of ${there.join(", ")}`);
}

/** The keys of any of several types. */
type KeyOfAny<T> = T extends unknown ? keyof T : never;

/** What several types have together; no member is certain to be there. */
export type Merged<T> = { readonly [K in KeyOfAny<T>]?: T extends { readonly [P in K]?: infer V } ? V : never };

/** One of several objects, seen as what they have together. */
export function merged<T extends object>(value: T): Merged<T> {
  return value;
}

/** The object inside of another one, which is made where it is not there. */
export function inner(value: object, key: string): Record<string, unknown> {
  const object = value as Record<string, unknown>;
  const found = object[key];
  return isObject(found) ? found : (object[key] = {});
}

/** What is there of a message before its bytes are read, if anything is: other fields may have set a part of it. */
export function begun<T extends object>(value: Draft<T> | undefined, read: Read<T>): Draft<T> | undefined {
  return value && { ...decode(new Uint8Array(), read), ...value };
}

/** An object to set members of that its type may not allow; validators find those. */
export function open(value: object): Record<string, unknown> {
  return value as Record<string, unknown>;
}

/** What was read before, if that is the member of a union that is being read. */
export function same(value: object, key: string, constant: string): object | undefined {
  return Reflect.get(value, key) === constant ? value : undefined;
}

/** Text as base64 of the standard alphabet, whichever it was in. Throws an {@link EncodeError} for text that is none. */
export function base64(value: string): string {
  return checked(types.bytes, value);
}

/** A whole number of 32 bits. Throws an {@link EncodeError} for any other. */
export function int32(value: number): number {
  return checked(types.int32, value);
}

/** A whole number of 32 bits without a sign. Throws an {@link EncodeError} for any other. */
export function uint32(value: number): number {
  return checked(types.uint32, value);
}

/** The text of a whole number of 64 bits. Throws an {@link EncodeError} for any other. */
export function int64(value: string): string {
  return checked(types.int64, value);
}

/** The text of a whole number of 64 bits without a sign. Throws an {@link EncodeError} for any other. */
export function uint64(value: string): string {
  return checked(types.uint64, value);
}

/** A number of 32 bits, rounded. Throws an {@link EncodeError} for one that is too large. */
export function float(value: number): number {
  if (Number.isFinite(Math.fround(value))) return value;
  throw new EncodeError(`protobuf carries a 32-bit number here, and ${value} is none`);
}

function checked<T>(type: Type<T>, value: unknown): T {
  const result = check(type, value, "json");
  if (result.issues === undefined) return result.value;
  throw new EncodeError(`protobuf carries a ${type.name} here, and ${JSON.stringify(value)} is none`);
}
