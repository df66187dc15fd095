import { base64Of } from "../../protobuf/base64.js";
import type { ErrorDetail } from "../../protocol/error.js";
import { isObject, type JsonObject } from "../../base/json.js";
import { Reader, skip, Writer } from "../../protobuf/wire.js";

/** The content of a `google.rpc.Status`. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** Codec of one type of detail. */
interface DetailCodec {
  write(detail: JsonObject, writer: Writer): void;
  /** Returns the JSON form without its `@type`. */
  read(bytes: Uint8Array): JsonObject;
}

const typePrefix = "type.googleapis.com/";

/** Returns the tag of a field with strings, bytes or messages. */
const tagOf = (field: number): number => (field << 3) | 2;

/** The tag of the status code, which is a number in field 1. */
const codeTag = 1 << 3;

/** Codecs of the known types of details, by type name. Details of other types stay bytes. */
const detailCodecs: ReadonlyMap<string, DetailCodec> = /* @__PURE__ */ new Map<string, DetailCodec>(
  [
    ["google.rpc.ErrorInfo", { write: writeErrorInfo, read: readErrorInfo }],
    ["google.rpc.BadRequest", { write: writeBadRequest, read: readBadRequest }],
  ],
);

/**
 * Maximum size of a status in bytes. A status is sent in a header, and many peers reject headers
 * above 8 KiB.
 */
const maxStatusBytes = 4096;

/**
 * Returns the message for a status: at most 500 characters, or 200 if the message contains
 * characters outside ASCII, because such a character takes up to nine bytes in the header. Lone
 * surrogates are replaced.
 */
export function statusText(message: string): string {
  const most = /[^\x20-\x7e]/.test(message) ? 200 : 500;
  const text = message.length > most ? `${message.slice(0, most - 1)}…` : message;
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/**
 * Encodes the `google.rpc.Status` for `grpc-status-details-bin`. Only includes details of the types
 * `ErrorInfo` and `BadRequest`, and omits details that are too large. If an `ErrorInfo` is too
 * large, first omits its metadata, because the `ErrorInfo` identifies the error.
 */
export function encodeStatus({ code, message, details }: Status): Uint8Array {
  const writer = Writer.create().uint32(codeTag).int32(code);
  writeText(writer, 2, statusText(message));
  for (const detail of details) {
    const room = maxStatusBytes - writer.pos;
    const fits = (bytes: Uint8Array | undefined): boolean =>
      bytes !== undefined && bytes.length < room;
    // Without its metadata, an `ErrorInfo` may still fit.
    const bytes = [packDetail(detail), packDetail({ ...detail, metadata: {} })].find(fits);
    if (bytes !== undefined) writer.uint32(tagOf(3)).bytes(bytes);
  }
  return writer.finish();
}

/** Encodes a detail as `google.protobuf.Any`. Returns `undefined` for an unknown type. */
function packDetail(detail: ErrorDetail): Uint8Array | undefined {
  const codec = detailCodecs.get(typeName(detail["@type"]));
  if (codec === undefined) return undefined;
  const writer = Writer.create();
  writeText(writer, 1, detail["@type"]);
  nested(writer, 2, () => {
    codec.write(detail, writer);
  });
  return writer.finish();
}

/**
 * Decodes a `google.rpc.Status`. Returns a detail of an unknown type as its URL and its bytes in
 * base64 (`value`). Never throws: if the bytes are truncated or malformed, returns the part before
 * the error.
 */
export function decodeStatus(bytes: Uint8Array): Status {
  const status = { code: 0, message: "", details: new Array<ErrorDetail>() };
  attempt(() => {
    readFields(bytes, (tag, reader) => {
      if (tag === codeTag) status.code = reader.int32();
      else if (tag === tagOf(2)) status.message = reader.string();
      else if (tag === tagOf(3)) status.details.push(readAny(reader.bytes()));
      else return false;
      return true;
    });
  });
  return status;
}

function readAny(bytes: Uint8Array): ErrorDetail {
  let url = "";
  let value: Uint8Array = new Uint8Array();
  readFields(bytes, (tag, reader) => {
    if (tag === tagOf(1)) url = reader.string();
    else if (tag === tagOf(2)) value = reader.bytes();
    else return false;
    return true;
  });
  const name = typeName(url);
  const content = attempt(() => detailCodecs.get(name)?.read(value));
  return content === undefined
    ? { "@type": url, value: base64Of(value) }
    : { "@type": typePrefix + name, ...content };
}

function writeErrorInfo(detail: JsonObject, writer: Writer): void {
  writeText(writer, 1, detail["reason"]);
  writeText(writer, 2, detail["domain"]);
  const metadata = detail["metadata"];
  if (!isObject(metadata)) return;
  for (const [key, value] of Object.entries(metadata)) {
    nested(writer, 3, () => {
      writeText(writer, 1, key);
      writeText(writer, 2, value);
    });
  }
}

function readErrorInfo(bytes: Uint8Array): JsonObject {
  const { reason = "", domain = "" } = readTexts(bytes, {
    [tagOf(1)]: "reason",
    [tagOf(2)]: "domain",
  });
  const metadata: [string, string][] = [];
  readFields(bytes, (tag, reader) => {
    if (tag !== tagOf(3)) return false;
    const { key = "", value = "" } = readTexts(reader.bytes(), {
      [tagOf(1)]: "key",
      [tagOf(2)]: "value",
    });
    metadata.push([key, value]);
    return true;
  });
  return {
    reason,
    domain,
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
  };
}

function writeBadRequest(detail: JsonObject, writer: Writer): void {
  const violations = detail["fieldViolations"];
  if (!Array.isArray(violations)) return;
  for (const violation of violations) {
    if (!isObject(violation)) continue;
    nested(writer, 1, () => {
      writeText(writer, 1, violation["field"]);
      writeText(writer, 2, violation["description"]);
      writeText(writer, 3, violation["reason"]);
      const localized = violation["localizedMessage"];
      if (!isObject(localized)) return;
      nested(writer, 4, () => {
        writeText(writer, 1, localized["locale"]);
        writeText(writer, 2, localized["message"]);
      });
    });
  }
}

function readBadRequest(bytes: Uint8Array): JsonObject {
  const fieldViolations: JsonObject[] = [];
  readFields(bytes, (tag, reader) => {
    if (tag !== tagOf(1)) return false;
    fieldViolations.push(readViolation(reader.bytes()));
    return true;
  });
  return { fieldViolations };
}

function readViolation(bytes: Uint8Array): JsonObject {
  const names = { [tagOf(1)]: "field", [tagOf(2)]: "description", [tagOf(3)]: "reason" };
  const violation: JsonObject = { field: "", ...readTexts(bytes, names) };
  readFields(bytes, (tag, reader) => {
    if (tag !== tagOf(4)) return false;
    violation["localizedMessage"] = readTexts(reader.bytes(), {
      [tagOf(1)]: "locale",
      [tagOf(2)]: "message",
    });
    return true;
  });
  return violation;
}

/** Writes a nested message as a field. */
function nested(writer: Writer, field: number, write: () => void): void {
  writer.uint32(tagOf(field)).fork();
  write();
  writer.ldelim();
}

/** Writes a string field. An empty string is omitted, because an absent field is read as empty. */
function writeText(writer: Writer, field: number, value: unknown): void {
  if (typeof value === "string" && value !== "") writer.uint32(tagOf(field)).string(value);
}

/**
 * Calls `read` with the tag of each field. If `read` consumes the field, it must return true.
 * Otherwise, the field is skipped.
 */
function readFields(bytes: Uint8Array, read: (tag: number, reader: Reader) => boolean): void {
  const reader = Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!read(tag, reader)) skip(reader, tag, reader.len, 0);
  }
}

/** Reads the string fields whose tags are in `names`. */
function readTexts(
  bytes: Uint8Array,
  names: Readonly<Partial<Record<number, string>>>,
): Record<string, string> {
  const texts: Record<string, string> = {};
  readFields(bytes, (tag, reader) => {
    const name = names[tag];
    if (name !== undefined) texts[name] = reader.string();
    return name !== undefined;
  });
  return texts;
}

function typeName(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
