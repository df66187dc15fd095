import type { Reader } from "./bytes-reader.js";
import { maxDepth } from "../base/json.js";
import { DecodeError } from "./wire-errors.js";
import { setUnknownFields, unknownFields, type UnknownFields } from "../base/unknown-fields.js";

export { unknownFields, type UnknownFields };

/** Skips an unknown field. Throws a `DecodeError` if it is malformed. */
export function skip(reader: Reader, tag: number, end: number, depth: number): void {
  const type = tag & 7;
  reader.countValue();
  if (tag >>> 3 === 0) throw new DecodeError("A field number must not be 0");
  // Wire types: 0 is a varint, 1 has eight bytes, 2 starts with its length, 3 starts a group, 4
  // ends a group, and 5 has four bytes.
  if (type === 3) skipGroup(reader, tag, end, depth + 1);
  else if (type === 2) reader.skip(reader.uint32());
  else if (type === 0) reader.skipNumber();
  else if (type === 1) reader.skip(8);
  else if (type === 5) reader.skip(4);
  else throw new DecodeError(`A field has the invalid wire type ${String(type)}`);
}

function skipGroup(reader: Reader, start: number, end: number, depth: number): void {
  if (depth >= maxDepth)
    throw new DecodeError(`The message is nested more than ${String(maxDepth)} levels deep`);
  while (reader.pos < end) {
    const tag = reader.uint32();
    const isEnd = (tag & 7) === 4;
    if (!isEnd) skip(reader, tag, end, depth);
    else if (tag >>> 3 === start >>> 3) return;
    else break;
  }
  throw new DecodeError("A group has no end tag");
}

/**
 * Skips an unknown field, and appends it to the unknown fields of `message`. Throws the same errors
 * as {@link skip}.
 */
export function keep(
  message: object,
  reader: Reader,
  tag: number,
  end: number,
  depth: number,
): void {
  const start = reader.pos;
  skip(reader, tag, end, depth);
  const holder: UnknownFields = message;
  const kept = holder[unknownFields];
  let at = kept?.length ?? 0;
  const afterTag = at + sizeOfTag(tag);
  const bytes = extended(kept, afterTag + reader.pos - start);
  // Write the tag as a varint. Every byte except the last has its highest bit set.
  for (let rest = tag; at < afterTag; rest >>>= 7)
    bytes[at++] = rest > 127 ? (rest & 127) | 128 : rest;
  bytes.set(reader.buf.subarray(start, reader.pos), afterTag);
  setUnknownFields(holder, bytes);
}

/**
 * Returns the bytes extended to `size`. Extends them in place if their buffer is large enough. A
 * new buffer has twice the size, so that appending many fields takes linear time.
 */
function extended(bytes: Uint8Array | undefined, size: number): Uint8Array {
  if (bytes === undefined) return new Uint8Array(size);
  if (size <= bytes.buffer.byteLength) return new Uint8Array(bytes.buffer, 0, size);
  const grown = new Uint8Array(2 * size);
  grown.set(bytes);
  return grown.subarray(0, size);
}

function sizeOfTag(tag: number): number {
  return Math.ceil((32 - Math.clz32(tag)) / 7);
}
