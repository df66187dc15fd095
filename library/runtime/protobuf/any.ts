import type { AnyObject, JsonObject, JsonValue } from "../base/json.js";
import {
  decode,
  encode,
  enter,
  jsonFloat,
  jsonNumber,
  leave,
  readBase64,
  readEmpty,
  readListValue,
  readStruct,
  readTimestamp,
  readValue,
  type Reader,
  skip,
  text64,
  unknownFields,
  type UnknownFields,
  UnrepresentableError,
  writeListValue,
  writeStruct,
  writeTimestamp,
  writeValue,
  Writer,
} from "./wire.js";
import { typeName } from "../schema/any-type.js";
import { base64Of, bytesOfBase64 } from "./base64.js";
import { misfit, unexpected } from "./encode-error.js";
import { plain } from "./expect.js";
import { readDuration, readFieldMask, writeDuration, writeFieldMask } from "./well-known.js";
import { readWrapper } from "./wrapper.js";
import { isAny, isBase64, isObject, isTypeUrl } from "../schema/predicates.js";
import * as t from "../schema/types.js";
import { parse, type Type } from "../schema/schema.js";

/** Codecs of the messages of a specification, by their full names. */
export type Registry = ReadonlyMap<string, AnyCodec>;

/** Codec of a message in a `google.protobuf.Any`: its bytes and its JSON. */
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

function wrapper<T extends JsonValue>(
  type: Type<T>,
  tag: number,
  zero: T,
  write: (value: T, writer: Writer) => Writer,
  read: (reader: Reader) => T,
): Special {
  return special(
    type,
    (value, writer) => (value === zero ? writer : write(value, writer.uint32(tag))),
    (reader, end) => readWrapper(reader, end, tag, zero, () => read(reader)),
  );
}

/**
 * Codecs of the types whose JSON is not an object of fields. In an Any, the member `value` contains
 * their JSON.
 */
const specials: ReadonlyMap<string, Special> = /* @__PURE__ */ new Map(
  Object.entries({
    Timestamp: special(t.timestamp, writeTimestamp, readTimestamp),
    Duration: special(t.duration, writeDuration, readDuration),
    FieldMask: special(t.fieldMask, writeFieldMask, readFieldMask),
    Struct: special(t.struct, writeStruct, (reader, end, depth) => readStruct(reader, end, depth)),
    ListValue: special(t.listValue, writeListValue, (reader, end, depth) =>
      readListValue(reader, end, depth),
    ),
    Value: special(t.value, writeValue, readValue),
    Empty: special(t.empty, (_, writer) => writer, readEmpty),
    DoubleValue: wrapper(
      t.double,
      9,
      0,
      (value, writer) => writer.double(value),
      (reader) => jsonNumber(reader.double()),
    ),
    FloatValue: wrapper(
      t.float,
      13,
      0,
      (value, writer) => writer.float(value),
      (reader) => jsonFloat(reader.float()),
    ),
    Int64Value: wrapper(
      t.int64,
      8,
      "0",
      (value, writer) => writer.int64(value),
      (reader) => text64(reader.int64()),
    ),
    UInt64Value: wrapper(
      t.uint64,
      8,
      "0",
      (value, writer) => writer.uint64(value),
      (reader) => text64(reader.uint64()),
    ),
    Int32Value: wrapper(
      t.int32,
      8,
      0,
      (value, writer) => writer.int32(value),
      (reader) => reader.int32(),
    ),
    UInt32Value: wrapper(
      t.uint32,
      8,
      0,
      (value, writer) => writer.uint32(value),
      (reader) => reader.uint32(),
    ),
    BoolValue: wrapper(
      t.boolean,
      8,
      false,
      (value, writer) => writer.bool(value),
      (reader) => reader.bool(),
    ),
    StringValue: wrapper(
      t.string,
      10,
      "",
      (value, writer) => writer.string(value),
      (reader) => reader.string(),
    ),
    BytesValue: wrapper(t.bytes, 10, "", (value, writer) => writer.base64(value), readBase64),
  }),
);

/**
 * Encodes a `google.protobuf.Any`. Throws an `EncodeError` if its type is unknown and its content
 * is not base64, or if the content does not match its type.
 */
export function writeAny(value: AnyObject, writer: Writer, registry: Registry): Writer {
  if (!isObject<AnyObject>(value)) throw unexpected("object with @type", value);
  const { "@type": url, ...fields } = value;
  if (url === undefined && Object.keys(fields).length === 0) {
    plain(value);
    return writer;
  }
  if (typeof url !== "string" || !isTypeUrl(url))
    throw unexpected("object with a type URL in @type", value, value);
  const bytes = packed(value, url, fields, registry);
  writer.uint32(10).string(url);
  return bytes.length === 0 ? writer : writer.uint32(18).bytes(bytes);
}

/**
 * Returns the content of an Any as bytes. Errors contain the path of the Any, because paths inside
 * the content are relative to the content.
 */
function packed(value: AnyObject, url: string, fields: JsonObject, registry: Registry): Uint8Array {
  try {
    return pack(url, fields, registry);
  } catch (thrown) {
    // A `RangeError` means that a value contains itself, so the error applies to the whole message.
    if (thrown instanceof RangeError || !(thrown instanceof Error)) throw thrown;
    throw misfit(`has content that does not match its type: ${thrown.message}`, value, [], thrown);
  }
}

function pack(url: string, fields: JsonObject, registry: Registry): Uint8Array {
  const name = typeName(url);
  const known = specialOf(name, registry);
  if (known !== undefined) return encode(fields["value"] ?? null, known.write, name);
  const codec = registry.get(name);
  if (codec !== undefined) return withUnknownFields(codec.encode(fields), fields);
  const bytes = fields["value"];
  if (isBase64(bytes)) return bytesOfBase64(bytes);
  throw unexpected("base64 in value, because its type is unknown", bytes);
}

/** Returns the bytes of a message followed by the bytes of its unknown fields. */
function withUnknownFields(
  bytes: Uint8Array,
  { [unknownFields]: unknown }: UnknownFields,
): Uint8Array {
  return Writer.create().raw(bytes).raw(unknown).finish();
}

/** Returns the codec of a well-known type. A nested Any uses the same registry. */
function specialOf(name: string, registry: Registry): Special | undefined {
  const prefix = "google.protobuf.";
  if (name === `${prefix}Any`) {
    return {
      write: (value, writer) => {
        if (isAny(value)) return writeAny(value, writer, registry);
        throw unexpected("object with @type", value);
      },
      read: (reader, end, depth) => readAny(reader, end, depth, registry),
    };
  }
  return name.startsWith(prefix) ? specials.get(name.slice(prefix.length)) : undefined;
}

/**
 * Decodes a `google.protobuf.Any`. The bytes of an unknown type become base64 in `value`. Throws an
 * `UnrepresentableError` for a type URL that is not valid in JSON.
 */
export function readAny(reader: Reader, end: number, depth: number, registry: Registry): AnyObject {
  let url = "";
  let bytes: Uint8Array = new Uint8Array();
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) url = reader.string();
    else if (tag === 18) {
      const stop = enter(reader, end, depth);
      bytes = reader.buf.subarray(reader.pos, stop);
      // The content is decoded after the loop, because the type URL may follow it.
      reader.pos = stop;
    } else skip(reader, tag, end, depth);
  }
  leave(reader, end);
  if (url === "") return {};
  if (!isTypeUrl(url))
    throw new UnrepresentableError(`The type "${url}" of an Any is not a type URL`);
  return { ...unpack(url, bytes, depth, registry), "@type": url };
}

function unpack(url: string, bytes: Uint8Array, depth: number, registry: Registry): JsonObject {
  const name = typeName(url);
  const known = specialOf(name, registry);
  if (known !== undefined) return { value: decode(bytes, known.read, depth) };
  const codec = registry.get(name);
  if (codec !== undefined) return { ...codec.decode(bytes, depth) };
  return { value: base64Of(bytes) };
}
