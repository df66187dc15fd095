import { isObject, type JsonObject, type JsonValue } from "../../base/json.js";
import { formatDuration, parseDuration } from "../../base/time.js";
import type { DetailForm, DetailShape } from "../../protocol/detail-shapes.js";
import type { Writer } from "../../protobuf/wire.js";
import { Reader, readInstant, skip, writeInstant } from "../../protobuf/wire.js";

/** Returns the tag of a field with strings, bytes or messages. */
export const tagOf = (field: number): number => (field << 3) | 2;

/** Writes a detail in its JSON form. Values of other types are omitted. */
export function writeDetail(detail: JsonObject, shape: DetailShape, writer: Writer): void {
  for (const [number, { name, form, isList }] of shape) {
    const value = detail[name];
    if (isList !== true) writeField(value, number, form, writer);
    else if (Array.isArray(value))
      for (const element of value) writeField(element, number, form, writer, true);
  }
}

function writeField(
  value: JsonValue | undefined,
  number: number,
  form: DetailForm,
  writer: Writer,
  isElement = false,
): void {
  if (form === "text") {
    // An empty string is omitted, because an absent field is read as empty.
    if (typeof value === "string" && (value !== "" || isElement))
      writer.uint32(tagOf(number)).string(value);
  } else if (form === "duration") {
    const span = typeof value === "string" ? parseDuration(value) : undefined;
    if (span !== undefined) nested(writer, number, () => void writeInstant(span, writer));
  } else if (isObject(value)) {
    if (form !== "texts")
      nested(writer, number, () => {
        writeDetail(value, form, writer);
      });
    else for (const entry of Object.entries(value)) writeEntry(entry, number, writer);
  }
}

function writeEntry([key, value]: [string, JsonValue], number: number, writer: Writer): void {
  nested(writer, number, () => {
    writeField(key, 1, "text", writer);
    writeField(value, 2, "text", writer);
  });
}

/** Writes a nested message as a field. */
export function nested(writer: Writer, field: number, write: () => void): void {
  writer.uint32(tagOf(field)).fork();
  write();
  writer.ldelim();
}

/** Reads a detail. Returns its JSON form without its `@type`. Throws if the bytes are malformed. */
export function readDetail(bytes: Uint8Array, shape: DetailShape): JsonObject {
  const lists = new Map<string, JsonValue[]>();
  const texts = new Map<string, [string, string][]>();
  const detail: Record<string, JsonValue> = {};
  for (const { name, isKept, isList } of shape.values())
    if (isKept === true && isList === true) listOf(lists, name);
    else if (isKept === true) detail[name] = "";
  readFields(bytes, (tag, reader) => {
    const field = shape.get(tag >> 3);
    if (field === undefined || tag !== tagOf(tag >> 3)) return false;
    const { name, form, isList } = field;
    if (form === "texts") listOf(texts, name).push(readEntry(reader.bytes()));
    else if (isList === true) listOf(lists, name).push(readValue(form, reader));
    else detail[name] = readValue(form, reader);
    return true;
  });
  for (const [name, entries] of texts) detail[name] = Object.fromEntries(entries);
  return { ...detail, ...Object.fromEntries(lists) };
}

function listOf<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

function readValue(form: Exclude<DetailForm, "texts">, reader: Reader): JsonValue {
  if (form === "text") return reader.string();
  const bytes = reader.bytes();
  if (form !== "duration") return readDetail(bytes, form);
  const own = Reader.create(bytes);
  return formatDuration(readInstant(own, own.len, 0));
}

function readEntry(bytes: Uint8Array): [string, string] {
  const entry: [string, string] = ["", ""];
  readFields(bytes, (tag, reader) => {
    if (tag === tagOf(1)) entry[0] = reader.string();
    else if (tag === tagOf(2)) entry[1] = reader.string();
    else return false;
    return true;
  });
  return entry;
}

/**
 * Calls `read` with the tag of each field. If `read` consumes the field, it must return true.
 * Otherwise, the field is skipped.
 */
export function readFields(
  bytes: Uint8Array,
  read: (tag: number, reader: Reader) => boolean,
): void {
  const reader = Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!read(tag, reader)) skip(reader, tag, reader.len, 0);
  }
}
