import { base64Of } from "./base64.js";
import { decodeWithin, type DecodeLimits, Reader } from "./bytes-reader.js";
import { Writer } from "./bytes-writer.js";
import { encodeError, unexpected } from "./encode-error.js";
import { expectList, expectObject, plain } from "./expect.js";
import { isObject, maxDepth, type JsonObject, type JsonValue } from "../base/json.js";
import { formatTimestamp, inTimestampRange, parseTimestamp, type Instant } from "../base/time.js";
import { keep, skip, unknownFields, type UnknownFields } from "./unknown-fields.js";
import { DecodeError, EncodeError, ExcessError, UnrepresentableError } from "./wire-errors.js";

export {
  atMostOne,
  booleanKey,
  constant,
  entries,
  isGiven,
  isTrue,
  expectList,
  expectNull,
  numberKey,
  expectObject,
} from "./expect.js";
export {
  DecodeError,
  decodeWithin,
  EncodeError,
  ExcessError,
  keep,
  Reader,
  skip,
  UnrepresentableError,
  unknownFields,
  Writer,
};
export type { DecodeLimits, UnknownFields };

/** A message that is being decoded. Every field may be absent. */
export type Draft<T> = { [K in keyof T & string]?: Exclude<T[K], undefined> };

// Compare each type with `undefined`. A test with `{}` would fail for fields such as `toString`,
// which every object has.
type OptionalKey<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** A message without the `@deprecated` marks of its fields, for code that must write all fields. */
export type Unmarked<T> = { readonly [K in Exclude<keyof T, OptionalKey<T>>]: T[K] } & {
  readonly [K in OptionalKey<T>]?: T[K];
};

/** Writes a message into `writer`, and returns the writer. */
export type Write<T> = (value: T, writer: Writer) => Writer;

/**
 * Decodes a message up to the byte `end`. `into` is an earlier occurrence of the same field, which
 * the message is merged into.
 */
export type Read<T> = (reader: Reader, end: number, depth: number, into?: Draft<T>) => T;

/**
 * Encodes a whole message of the type `name`. Throws an {@link EncodeError} for a value that
 * `write` rejects, and for a value that contains itself.
 */
export function encode<T>(value: T, write: Write<T>, name: string): Uint8Array {
  try {
    return write(value, Writer.create()).finish();
  } catch (thrown) {
    throw encodeError(name, value, (again) => write(again, Writer.create()), thrown);
  }
}

/** Decodes a whole message at a nesting `depth`. Throws a {@link DecodeError} for invalid bytes. */
export function decode<T>(bytes: Uint8Array, read: Read<T>, depth = 0): T {
  try {
    const reader = Reader.create(bytes);
    return read(reader, reader.len, depth);
  } catch (cause) {
    if (cause instanceof DecodeError) throw cause;
    throw new DecodeError("The bytes are not a valid protobuf message", { cause });
  }
}

/** Reads the length of a nested message, counts the message, and returns the index of its end. */
export function enter(reader: Reader, end: number, depth: number): number {
  reader.countObject();
  return endOf(reader, end, depth);
}

/**
 * Reads the length of a nested message and returns the index of its end. Does not count the
 * message, because only the keys and values in it are part of the JSON.
 */
function endOf(reader: Reader, end: number, depth: number): number {
  const length = reader.uint32();
  if (depth >= maxDepth)
    throw new DecodeError(`The message is nested more than ${String(maxDepth)} levels deep`);
  if (length > end - reader.pos) throw new DecodeError("A field is longer than its message");
  return reader.pos + length;
}

/** Checks that the reader is at the end of a nested field. */
export function leave(reader: Reader, end: number): void {
  if (reader.pos !== end) throw new DecodeError("A field extends beyond the end of its message");
}

/**
 * Checks that the reader is at the end of a message, and returns the message. Required fields may
 * be missing.
 */
export function finish<T>(reader: Reader, end: number, value: Draft<T>): T {
  leave(reader, end);
  return value as T;
}

/** Deletes the other members of a oneof, because the last member takes precedence. */
export function only<T extends object>(
  value: T,
  members: readonly (keyof T)[],
  chosen: keyof T,
): void {
  // Iterate over the value, which has few members at this point, instead of over all members of the
  // oneof.
  for (const name in value)
    if (name !== chosen && members.includes(name)) Reflect.deleteProperty(value, name);
}

/** Returns a copy without a prototype, for messages with fields such as `constructor`. */
export function ownFields<T extends object>(value: T): T {
  return Object.create(null, Object.getOwnPropertyDescriptors(value)) as T;
}

/**
 * Returns a message with the given fields and without a prototype, for messages with fields such as
 * `constructor`.
 */
export function draft<T>(fields: object): Draft<T> {
  return Object.assign(Object.create(null) as Draft<T>, fields);
}

/** Sets an entry of a map. The key may be `__proto__`. */
export function setEntry<V>(map: Record<string, V>, key: string, value: V): void {
  if (key === "__proto__")
    Object.defineProperty(map, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  else map[key] = value;
}

/** Reads bytes as base64. */
export function readBase64(reader: Reader): string {
  return base64Of(reader.bytes());
}

/** Decodes `google.protobuf.NullValue`. */
export function readNull(reader: Reader): null {
  reader.int32();
  return null;
}

/** Decodes `google.protobuf.Empty`. */
export function readEmpty(reader: Reader, end: number, depth: number): Record<string, never> {
  while (reader.pos < end) skip(reader, reader.uint32(), end, depth);
  return finish(reader, end, {});
}

/** Returns a 64-bit number as a string. */
export function text64(value: { toString(): string }): string {
  return value.toString();
}

/** Returns a number for JSON, or the name of a number that JSON cannot represent. */
export function jsonNumber(value: number): number | "NaN" | "Infinity" | "-Infinity" {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

/** Returns the shortest decimal number with the same 32-bit value. */
export function jsonFloat(value: number): number | "NaN" | "Infinity" | "-Infinity" {
  if (!Number.isFinite(value) || Number.isInteger(value)) return jsonNumber(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/**
 * Returns the number of an enum value. An unknown number, which {@link enumName} keeps, is returned
 * unchanged.
 */
export function enumNumber(
  numbers: Readonly<Record<string, number>>,
  value: string | number,
): number {
  if (typeof value === "number") return value;
  // The type also excludes inherited members, such as `constructor`.
  const number: unknown = typeof value === "string" ? numbers[value] : undefined;
  if (typeof number !== "number")
    throw unexpected(`one of ${Object.keys(numbers).join(", ")}`, value);
  return number;
}

/**
 * Returns the name of an enum value. Returns an unknown number unchanged, as in ProtoJSON.
 * Validators report it later.
 */
export function enumName<T extends string>(names: ReadonlyMap<number, T>, value: number): T {
  return names.get(value) ?? (value as unknown as T);
}

/**
 * Inverts a table of enum numbers. If several names have the same number, the first name is used.
 */
export function enumNames<T extends string>(numbers: { readonly [K in T]: number }): ReadonlyMap<
  number,
  T
> {
  const names = (Object.keys(numbers) as T[]).map((name): [number, T] => [numbers[name], name]);
  return new Map(names.reverse());
}

/** Encodes `google.protobuf.Timestamp`. */
export function writeTimestamp(value: string, writer: Writer): Writer {
  const instant = typeof value === "string" ? parseTimestamp(value) : undefined;
  if (instant === undefined) throw unexpected("RFC 3339 timestamp", value);
  return writeInstant(instant, writer);
}

/** Decodes `google.protobuf.Timestamp`. */
export function readTimestamp(reader: Reader, end: number, depth: number): string {
  const instant = readInstant(reader, end, depth);
  const areNanosInRange = instant.nanos >= 0 && instant.nanos <= 999_999_999;
  if (!areNanosInRange || !inTimestampRange(instant.seconds))
    throw new UnrepresentableError("A timestamp is out of range");
  return formatTimestamp(instant);
}

/** Encodes the common fields of timestamps and durations. */
export function writeInstant({ seconds, nanos }: Instant, writer: Writer): Writer {
  if (seconds !== 0) writer.uint32(8).integer(seconds);
  if (nanos !== 0) writer.uint32(16).int32(nanos);
  return writer;
}

/** Decodes the common fields of timestamps and durations. */
export function readInstant(reader: Reader, end: number, depth: number): Instant {
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 8) seconds = reader.integer();
    else if (tag === 16) nanos = reader.int32();
    else skip(reader, tag, end, depth);
  }
  return finish(reader, end, { seconds, nanos });
}

/** Encodes `google.protobuf.Struct`. */
export function writeStruct(value: JsonObject, writer: Writer, depth = 0): Writer {
  expectObject(value, "JSON object");
  const keys = Object.keys(value);
  if (keys.length === 0) plain(value);
  for (const key of keys) {
    writer.uint32(10).fork().uint32(10).string(key);
    writeValue(value[key], writer.uint32(18).fork(), depth + 1).ldelim();
    writer.ldelim();
  }
  return writer;
}

/** Encodes `google.protobuf.ListValue`. */
export function writeListValue(value: readonly JsonValue[], writer: Writer, depth = 0): Writer {
  for (const item of expectList(value))
    writeValue(item, writer.uint32(10).fork(), depth + 1).ldelim();
  return writer;
}

/** Encodes `google.protobuf.Value`. */
export function writeValue(value: JsonValue | undefined, writer: Writer, depth = 0): Writer {
  if (depth > maxDepth) throw unexpected(`at most ${String(maxDepth)} levels of nesting`, value);
  if (value === null) return writer.uint32(8).int32(0);
  if (typeof value === "string") return writer.uint32(26).string(value);
  if (typeof value === "number" && Number.isFinite(value)) return writer.uint32(17).double(value);
  if (typeof value === "boolean") return writer.uint32(32).bool(value);
  if (typeof value !== "object") throw unexpected("JSON value", value);
  if (Array.isArray(value)) return writeListValue(value, writer.uint32(50).fork(), depth).ldelim();
  return writeStruct(value, writer.uint32(42).fork(), depth).ldelim();
}

/** Decodes `google.protobuf.Struct`. */
export function readStruct(
  reader: Reader,
  end: number,
  depth: number,
  into: JsonObject = {},
): JsonObject {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) readEntry(reader, endOf(reader, end, depth), depth, into);
    else skip(reader, tag, end, depth);
  }
  return finish(reader, end, into);
}

function readEntry(reader: Reader, end: number, depth: number, into: JsonObject): void {
  let key = "";
  let value: JsonValue = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) key = reader.key();
    else if (tag === 18) value = readValue(reader, endOf(reader, end, depth), depth);
    else skip(reader, tag, end, depth);
  }
  leave(reader, end);
  setEntry(into, key, value);
}

/** Decodes `google.protobuf.ListValue`. */
export function readListValue(
  reader: Reader,
  end: number,
  depth: number,
  into: JsonValue[] = [],
): JsonValue[] {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) into.push(readValue(reader, endOf(reader, end, depth), depth));
    else skip(reader, tag, end, depth);
  }
  return finish(reader, end, into);
}

/** Decodes `google.protobuf.Value`. A value without a kind is `null`. */
export function readValue(reader: Reader, end: number, depth: number): JsonValue {
  let value: JsonValue = null;
  if (reader.pos === end) reader.countValue();
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 8) {
      reader.countValue();
      reader.int32();
      value = null;
    } else if (tag === 17) value = finite(reader.double());
    else if (tag === 26) value = reader.string();
    else if (tag === 32) value = reader.bool();
    else if (tag === 42)
      value = readStruct(
        reader,
        enter(reader, end, depth),
        depth + 1,
        isObject(value) ? value : {},
      );
    else if (tag === 50)
      value = readListValue(
        reader,
        enter(reader, end, depth),
        depth + 1,
        Array.isArray(value) ? value : [],
      );
    else skip(reader, tag, end, depth);
  }
  leave(reader, end);
  return value;
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new UnrepresentableError(
    "A google.protobuf.Value contains a number that JSON cannot represent",
  );
}
