import { base64Of, bytesOfBase64 } from "../../protobuf/base64.js";
import { detailShapes } from "../../protocol/detail-shapes.js";
import type { ErrorDetail } from "../../protocol/error.js";
import { Writer } from "../../protobuf/wire.js";
import { nested, readDetail, readFields, tagOf, writeDetail } from "./details.js";

/** The content of a `google.rpc.Status`. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

const typePrefix = "type.googleapis.com/";

/** The tag of the status code, which is a number in field 1. */
const codeTag = 1 << 3;

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
 * Encodes the `google.rpc.Status` for `grpc-status-details-bin`. Omits details that are too large,
 * and details of other packages than `google.rpc` unless they consist of bytes. If an `ErrorInfo` is
 * too large, first omits its metadata, because the `ErrorInfo` identifies the error.
 */
export function encodeStatus({ code, message, details }: Status): Uint8Array {
  const writer = Writer.create().uint32(codeTag).int32(code);
  if (message !== "") writer.uint32(tagOf(2)).string(statusText(message));
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

/**
 * Encodes a detail as `google.protobuf.Any`: a detail of `google.rpc`, or a detail with its bytes in
 * base64 as `value`. Returns `undefined` for any other detail.
 */
function packDetail(detail: ErrorDetail): Uint8Array | undefined {
  const { "@type": url, value } = detail;
  const shape = detailShapes.get(typeName(url));
  const bytes = typeof value === "string" ? attempt(() => bytesOfBase64(value)) : undefined;
  if (shape === undefined && bytes === undefined) return undefined;
  const writer = Writer.create();
  if (url !== "") writer.uint32(tagOf(1)).string(url);
  nested(writer, 2, () => {
    if (bytes !== undefined) writer.raw(bytes);
    else if (shape !== undefined) writeDetail(detail, shape, writer);
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
  const shape = detailShapes.get(name);
  const content = shape && attempt(() => readDetail(value, shape));
  return content === undefined
    ? { "@type": url, value: base64Of(value) }
    : { "@type": typePrefix + name, ...content };
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
