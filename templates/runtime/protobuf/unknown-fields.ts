import type { Reader } from "./bytes-reader.js";
import { maxDepth } from "../base/json.js";
import { DecodeError } from "./wire-errors.js";

/**
 * The key of the fields that a message has in its bytes and its version does not know: what was read is written again,
 * behind the fields that are known. Being enumerable, it goes along where a message is changed by `{ ...message }`. JSON
 * and `structuredClone` leave it out, and so do parsers, which give JSON.
 *
 * Every message that is an object of its own keeps them. They are lost where JSON has something else, or a part of it:
 * in entries of maps, in types of `google.protobuf`, in messages within that of an Any, and, where a JSON Schema says
 * how JSON looks, in messages that are lists, maps, or one of several types.
 */
export const unknownFields: unique symbol = /* @__PURE__ */ Symbol("unknownFields");

/** A message with the bytes of fields that its version does not know, tags included. */
export interface UnknownFields {
  [unknownFields]?: Uint8Array | undefined;
}

/** Skips a field that is not known. Throws a `DecodeError` for one that is malformed. */
export function skip(reader: Reader, tag: number, end: number, depth: number): void {
  const type = tag & 7;
  if (tag >>> 3 === 0) throw new DecodeError("A field has the number 0");
  if (type === 3) skipGroup(reader, tag, end, depth + 1);
  else if (type === 2) reader.skip(reader.uint32());
  else if (type === 0) reader.skipNumber();
  else if (type === 1 || type === 5) reader.skip(type === 1 ? 8 : 4);
  else throw new DecodeError(`A field has the wire type ${String(type)}, which does not exist`);
}

function skipGroup(reader: Reader, start: number, end: number, depth: number): void {
  if (depth >= maxDepth) throw new DecodeError(`The message is nested more than ${String(maxDepth)} deep`);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if ((tag & 7) !== 4) skip(reader, tag, end, depth);
    else if (tag >>> 3 === start >>> 3) return;
    else break;
  }
  throw new DecodeError("A group does not end");
}

/** Skips a field that is not known, and keeps it behind those that `message` has kept before. Throws as {@link skip}. */
export function keep(message: object, reader: Reader, tag: number, end: number, depth: number): void {
  const start = reader.pos;
  skip(reader, tag, end, depth);
  const holder: UnknownFields = message;
  const kept = holder[unknownFields];
  const used = kept?.length ?? 0;
  const size = used + sizeOfTag(tag) + reader.pos - start;
  const bytes = extended(kept, size);
  let at = used;
  for (let rest = tag; at < used + sizeOfTag(tag); rest >>>= 7) bytes[at++] = rest > 127 ? (rest & 127) | 128 : rest;
  bytes.set(reader.buf.subarray(start, reader.pos), at);
  holder[unknownFields] = bytes;
}

/** Bytes that go on behind others. There is room for as many again, so that many fields take no more than linear time. */
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
