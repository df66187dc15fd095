import type { AnyObject, JsonObject, JsonValue } from "./json.js";
import {
  decode,
  encode,
  EncodeError,
  enter,
  leave,
  readBase64,
  readDuration,
  readEmpty,
  readFieldMask,
  readListValue,
  readStruct,
  readTimestamp,
  readValue,
  Reader,
  skip,
  text,
  writeDuration,
  writeFieldMask,
  writeListValue,
  writeStruct,
  writeTimestamp,
  writeValue,
  Writer,
} from "./wire.js";
import * as is from "./predicates.js";
import * as t from "./types.js";
import { parse, type Type } from "./schema.js";

/** How the messages of a specification are encoded and decoded, by their full names. */
export type Registry = Readonly<Record<string, AnyCodec>>;

/** How one type travels in a `google.protobuf.Any`: the bytes of a message, and its JSON. */
export interface AnyCodec {
  readonly encode: (value: JsonObject) => Uint8Array;
  readonly decode: (bytes: Uint8Array, depth: number) => object;
}

interface Special {
  readonly write: (value: JsonValue, writer: Writer) => Writer;
  readonly read: (reader: Reader, end: number, depth: number) => JsonValue;
}

function special<T extends JsonValue>(
  type: Type<T>,
  write: (value: T, writer: Writer) => Writer,
  read: (reader: Reader, end: number, depth: number) => T,
): Special {
  return { write: (value, writer) => write(parse(type, value), writer), read };
}

/** The types whose JSON is no object of fields; in an Any it stands in the member `value`. */
const specials: ReadonlyMap<string, Special> = /* @__PURE__ */ new Map([
  ["google.protobuf.Timestamp", special(t.timestamp, writeTimestamp, readTimestamp)],
  ["google.protobuf.Duration", special(t.duration, writeDuration, readDuration)],
  ["google.protobuf.FieldMask", special(t.fieldMask, writeFieldMask, readFieldMask)],
  ["google.protobuf.Struct", special(t.struct, writeStruct, (reader, end, depth) => readStruct(reader, end, depth))],
  [
    "google.protobuf.ListValue",
    special(t.listValue, writeListValue, (reader, end, depth) => readListValue(reader, end, depth)),
  ],
  ["google.protobuf.Value", special(t.value, writeValue, readValue)],
  ["google.protobuf.Empty", special(t.empty, (_, writer) => writer, readEmpty)],
]);

/** Writes `google.protobuf.Any`. Throws an `EncodeError` for a type that is neither known nor given as bytes. */
export function writeAny(value: AnyObject, writer: Writer, registry: Registry): Writer {
  const { "@type": url, ...fields } = value;
  if (url === "") return writer;
  const bytes = pack(url, fields, registry);
  writer.uint32(10).string(text(url));
  return bytes.length === 0 ? writer : writer.uint32(18).bytes(bytes);
}

function pack(url: string, fields: JsonObject, registry: Registry): Uint8Array {
  const name = typeName(url);
  const known = specials.get(name);
  if (known !== undefined) return encode(fields["value"] ?? null, known.write);
  if (Object.hasOwn(registry, name)) return registry[name]?.encode(fields) ?? new Uint8Array();
  const bytes = fields["value"];
  if (!is.base64(bytes)) throw new EncodeError(`The type "${url}" of an Any is not known`);
  return Reader.create(Writer.create().bytes(bytes).finish()).bytes();
}

/** Reads `google.protobuf.Any`. A type that is not known keeps its bytes, as base64 in `value`. */
export function readAny(reader: Reader, end: number, depth: number, registry: Registry): AnyObject {
  let url = "";
  let bytes: Uint8Array = new Uint8Array();
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) url = reader.stringVerify();
    else if (tag === 18) {
      const stop = enter(reader, end, depth);
      bytes = reader.buf.subarray(reader.pos, stop);
      reader.pos = stop;
    } else skip(reader, tag, end, depth);
  }
  leave(reader, end);
  return { ...(url === "" ? {} : unpack(url, bytes, depth, registry)), "@type": url };
}

function unpack(url: string, bytes: Uint8Array, depth: number, registry: Registry): JsonObject {
  const name = typeName(url);
  const known = specials.get(name);
  if (known !== undefined) return { value: decode(bytes, known.read, depth) };
  if (Object.hasOwn(registry, name)) return { ...registry[name]?.decode(bytes, depth) };
  return { value: readBase64(Reader.create(Writer.create().bytes(bytes).finish())) };
}

function typeName(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}
