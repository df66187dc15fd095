import { DecodeError, ExcessError } from "./wire-errors.js";

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const scratch = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(8));

/** Maximum length, in bytes, of a string that a loop decodes faster than a native decoder. */
const shortText = 20;

/**
 * Cache of recent keys of maps and JSON objects, indexed by their hash. Engines look up a member by
 * the identity of its name, so that a cached name, unlike a new string, needs no search for an
 * equal name.
 */
const keys: string[] = /* @__PURE__ */ new Array<string>(256).fill("");

/**
 * Node's own decoder, which is twice as fast as the standard decoder for strings of common lengths.
 */
const { Buffer: nodeBuffer } = globalThis as { Buffer?: { prototype: { utf8Slice?: Slice } } };
type Slice = (this: Uint8Array, start: number, end: number) => string;
const utf8Slice = nodeBuffer?.prototype.utf8Slice;

/**
 * Limits for decoding a message. Small values take the most time and memory per byte, and decoding
 * cannot be interrupted.
 */
export interface DecodeLimits {
  /** Maximum number of messages, lists and JSON objects. */
  objects: number;
  /** Maximum number of other values. */
  values: number;
}

/** More values than any message contains. A small integer, because engines count with it faster. */
const unlimited = 2 ** 30 - 1;

/**
 * Remaining limits of the message that is being decoded, including the messages in its values of
 * type Any.
 */
let limited: DecodeLimits | undefined;

/**
 * Decodes a message within limits. Throws an {@link ExcessError} if the message exceeds them.
 *
 * @param limits - the limits, from which the values of the message are subtracted
 * @param decode - decodes the message synchronously
 */
export function decodeWithin<T>(limits: DecodeLimits, decode: () => T): T {
  limited = limits;
  try {
    return decode();
  } finally {
    limited = undefined;
  }
}

/**
 * Reads a sequence of protobuf values. Each method throws a `DecodeError` if the bytes end within
 * the value.
 */
export class Reader {
  readonly buf: Uint8Array;
  readonly len: number;
  /** The index of the next value. */
  pos = 0;
  readonly #budget: DecodeLimits;

  constructor(bytes: Uint8Array) {
    this.buf = bytes;
    this.len = bytes.length;
    this.#budget = limited ?? { objects: unlimited, values: unlimited };
  }

  /** Counts an object. Throws an `ExcessError` if the message contains too many objects. */
  countObject(): void {
    if ((this.#budget.objects -= 1) < 0) throw new ExcessError("objects");
  }

  /** Counts a value. Throws an `ExcessError` if the message contains too many values. */
  countValue(): void {
    if ((this.#budget.values -= 1) < 0) throw new ExcessError("values");
  }

  static create(bytes: Uint8Array): Reader {
    return new Reader(bytes);
  }

  uint32(): number {
    // Most tags and lengths are one byte long.
    const first = this.buf[this.pos] ?? 128;
    if (first < 128) {
      this.pos += 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      // A negative number has ten bytes, of which the last five do not matter.
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new DecodeError("A varint is longer than ten bytes");
  }

  int32(): number {
    return this.uint32() | 0;
  }

  sint32(): number {
    const value = this.uint32();
    return (value >>> 1) ^ -(value & 1);
  }

  bool(): boolean {
    this.#wide();
    return (scratch.getUint32(0) | scratch.getUint32(4)) !== 0;
  }

  fixed32(): number {
    return this.#scratch(4).getUint32(0, true);
  }

  sfixed32(): number {
    return this.#scratch(4).getInt32(0, true);
  }

  float(): number {
    return this.#scratch(4).getFloat32(0, true);
  }

  double(): number {
    return this.#scratch(8).getFloat64(0, true);
  }

  int64(): bigint {
    return this.#wide().getBigInt64(0, true);
  }

  /** Reads an `int64` as a number, which is rounded if it is not a safe integer. */
  integer(): number {
    this.#wide();
    return scratch.getInt32(4, true) * 4_294_967_296 + scratch.getUint32(0, true);
  }

  uint64(): bigint {
    return this.#wide().getBigUint64(0, true);
  }

  sint64(): bigint {
    const value = this.uint64();
    return (value >> 1n) ^ -(value & 1n);
  }

  fixed64(): bigint {
    return this.#scratch(8).getBigUint64(0, true);
  }

  sfixed64(): bigint {
    return this.#scratch(8).getBigInt64(0, true);
  }

  /** Reads length-delimited bytes. They share memory with the input. */
  bytes(): Uint8Array {
    const start = this.#delimited();
    return this.buf.subarray(start, this.pos);
  }

  /** Reads a length-delimited string. Throws a `DecodeError` for invalid UTF-8. */
  string(): string {
    const start = this.#delimited();
    return textOf(this.buf, start, this.pos);
  }

  /**
   * Reads the key of a map or a JSON object. Like {@link string}, but returns a cached string for a
   * recent key.
   */
  key(): string {
    const start = this.#delimited();
    const { buf, pos: end } = this;
    const length = end - start;
    let hash = length;
    if (length <= shortText)
      for (let at = start; at < end; at += 1) hash = (hash * 31 + (buf[at] ?? 0)) & 0xffff;
    const slot = (hash ^ (hash >> 8)) & 0xff;
    const known = keys[slot] ?? "";
    if (known.length === length) {
      let at = 0;
      while (at < length && known.charCodeAt(at) === buf[start + at]) at += 1;
      // A byte above 127 never matches: such keys are not stored.
      if (at === length) return known;
    }
    const key = textOf(buf, start, end);
    if (key.length === length && length <= shortText) keys[slot] = key;
    return key;
  }

  /** Skips a varint. */
  skipNumber(): void {
    this.#wide();
  }

  /** Skips a number of bytes. */
  skip(length: number): void {
    if (length > this.len - this.pos) throw truncated();
    this.pos += length;
  }

  #byte(): number {
    const byte = this.buf[this.pos] ?? -1;
    if (byte < 0) throw truncated();
    this.pos += 1;
    return byte;
  }

  /** Reads a length, skips that many bytes, and returns the index of the first skipped byte. */
  #delimited(): number {
    this.countValue();
    const length = this.uint32();
    const start = this.pos;
    this.skip(length);
    return start;
  }

  #scratch(size: number): DataView {
    this.countValue();
    const start = this.pos;
    this.skip(size);
    for (let index = 0; index < size; index += 1)
      scratch.setUint8(index, this.buf[start + index] ?? 0);
    return scratch;
  }

  /** Reads a varint of up to 64 bits into the scratch memory. */
  #wide(): DataView {
    this.countValue();
    let [low, high] = [0, 0];
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      const bits = byte & 127;
      if (shift < 32) low |= bits << shift;
      // The fifth byte has four bits in the lower half, and three bits in the upper half.
      if (shift > 28) high |= bits << (shift - 32);
      else if (shift === 28) high |= bits >>> 4;
      if (byte >= 128) continue;
      scratch.setUint32(0, low >>> 0, true);
      scratch.setUint32(4, high >>> 0, true);
      return scratch;
    }
    throw new DecodeError("A varint is longer than ten bytes");
  }
}

/** Returns a string. Throws a `DecodeError` for invalid UTF-8. */
function textOf(buf: Uint8Array, start: number, end: number): string {
  if (end - start > shortText) return decode(buf, start, end);
  const codes = new Array<number>(end - start);
  for (let index = start; index < end; index += 1) {
    const code = buf[index] ?? 0;
    if (code > 127) return decode(buf, start, end);
    codes[index - start] = code;
  }
  return String.fromCharCode.apply(undefined, codes);
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  const text = utf8Slice?.call(bytes, start, end);
  // Node inserts this character for invalid bytes. A valid string may also contain the character,
  // so let the strict decoder check the bytes.
  if (text?.includes("\uFFFD") === false) return text;
  try {
    return decoder.decode(bytes.subarray(start, end));
  } catch (cause) {
    throw new DecodeError("Invalid UTF-8 in a string field", { cause });
  }
}

const truncated = (): DecodeError => new DecodeError("The bytes end within a field");
