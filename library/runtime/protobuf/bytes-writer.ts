import { bytesOfBase64 } from "./base64.js";
import { unexpected } from "./encode-error.js";
import type { JsonNumber } from "../schema/types.js";

const encoder = /* @__PURE__ */ new TextEncoder();
const scratch = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(8));

/** Node's own encoder and memory, which are faster than the standard encoder and a new array. */
const { Buffer: nodeBuffer } = globalThis as {
  Buffer?: { allocUnsafe: (size: number) => Uint8Array; prototype: { utf8Write?: Write } };
};
type Write = (this: Uint8Array, text: string, start: number, maximum: number) => number;
const utf8Write = nodeBuffer?.prototype.utf8Write;

/**
 * Minimum length of a string that an encoder writes faster than a loop. The length of shorter
 * strings fits into one byte.
 */
const shortText = utf8Write === undefined ? 64 : 24;

/**
 * Maximum size of the buffer that is kept for the next message, because allocating memory takes
 * longer than writing.
 */
const maxKept = 65_536;
let kept: Uint8Array | undefined;

/** Number of bytes before the message that is encoded next. */
let prefix = 0;
/** The last message with bytes before it. */
let prefixed: Uint8Array | undefined;

/**
 * Returns an encoded message after `size` bytes, which the caller must set. A {@link Writer} leaves
 * room for them, because adding a prefix later would copy the message again. The message may share
 * its memory with other messages.
 *
 * @param size - the number of bytes before the message
 * @param encode - encodes the message synchronously
 */
export function encodeAfter(size: number, encode: () => Uint8Array): Uint8Array {
  prefix = size;
  try {
    const bytes = encode();
    if (bytes === prefixed) return bytes;
    // The message was not encoded by a writer.
    const copy = new Uint8Array(size + bytes.length);
    copy.set(bytes, size);
    return copy;
  } finally {
    prefix = 0;
    prefixed = undefined;
  }
}

/**
 * Writes a sequence of protobuf values. Each method returns the writer, and {@link Writer.finish}
 * returns the bytes. A method throws an `EncodeError` if a value does not have the declared type,
 * because the bytes would represent a different value.
 *
 * All values are written to one growing buffer. A nested message starts with one byte for its
 * length. If the length needs more bytes, the message is moved. Computing the lengths first would
 * require a second pass over the value.
 */
export class Writer {
  #bytes: Uint8Array = kept ?? new Uint8Array(1024);
  /** Number of bytes before the message. */
  readonly #prefix = prefix;
  #end = prefix;
  /** The start indexes of the open nested messages. */
  readonly #starts: number[] = [];

  constructor() {
    kept = undefined;
    // The messages in the values of a message have no prefix.
    prefix = 0;
  }

  static create(): Writer {
    return new Writer();
  }

  /** Number of bytes written. */
  get pos(): number {
    return this.#end - this.#prefix;
  }

  /** Returns the bytes. The writer must not be used afterwards, because its buffer is reused. */
  finish(): Uint8Array {
    const bytes = this.#prefix === 0 ? this.#bytes.slice(0, this.#end) : this.#prefixed();
    if (this.#bytes.length <= maxKept) kept = this.#bytes;
    return bytes;
  }

  #prefixed(): Uint8Array {
    const bytes = nodeBuffer?.allocUnsafe(this.#end) ?? new Uint8Array(this.#end);
    bytes.set(this.#bytes.subarray(0, this.#end));
    prefixed = bytes;
    return bytes;
  }

  /** Starts a nested message. {@link Writer.ldelim} ends it. */
  fork(): this {
    this.#reserve(1);
    // The byte for the length, which `ldelim` writes.
    this.#end += 1;
    this.#starts.push(this.#end);
    return this;
  }

  /** Ends a nested message and writes its length before it. */
  ldelim(): this {
    const start = this.#starts.pop() ?? this.#end;
    const length = this.#end - start;
    // Most nested messages are so short that the byte before the message can hold the length.
    if (length < 128) this.#bytes[start - 1] = length;
    else this.#setLength(start, length, 1);
    return this;
  }

  /**
   * Writes the length of the bytes from `start` into the `room` bytes before `start`. Moves the
   * bytes if the encoded length does not occupy exactly `room` bytes.
   */
  #setLength(start: number, length: number, room: number): void {
    const size = sizeOf(length);
    if (size !== room) {
      this.#reserve(size);
      this.#bytes.copyWithin(start - room + size, start, start + length);
    }
    this.#end = start - room;
    this.uint32(length);
    this.#end += length;
  }

  uint32(value: number): this {
    if (value >>> 0 !== value) throw unexpected("unsigned 32-bit integer", value);
    this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#end++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#end++] = rest;
    return this;
  }

  int32(value: number): this {
    if ((value | 0) !== value) throw unexpected("32-bit integer", value);
    return value < 0 ? this.#wide(value >>> 0, 0xffffffff) : this.uint32(value);
  }

  sint32(value: number): this {
    if ((value | 0) !== value) throw unexpected("32-bit integer", value);
    return this.uint32(((value << 1) ^ (value >> 31)) >>> 0);
  }

  fixed32(value: number): this {
    if (value >>> 0 !== value) throw unexpected("unsigned 32-bit integer", value);
    scratch.setUint32(0, value, true);
    return this.#scratch(4);
  }

  sfixed32(value: number): this {
    if ((value | 0) !== value) throw unexpected("32-bit integer", value);
    scratch.setInt32(0, value, true);
    return this.#scratch(4);
  }

  float(value: JsonNumber): this {
    const number = numberOf(value, "32-bit number");
    if (Number.isFinite(number) && !Number.isFinite(Math.fround(number)))
      throw unexpected("32-bit number", value);
    scratch.setFloat32(0, number, true);
    return this.#scratch(4);
  }

  double(value: JsonNumber): this {
    scratch.setFloat64(0, numberOf(value, "number"), true);
    return this.#scratch(8);
  }

  bool(value: boolean): this {
    if (typeof value !== "boolean") throw unexpected("boolean", value);
    return this.uint32(value ? 1 : 0);
  }

  int64(value: string): this {
    setDecimal(value, true);
    return this.#varint64();
  }

  uint64(value: string): this {
    setDecimal(value, false);
    return this.#varint64();
  }

  sint64(value: string): this {
    setDecimal(value, true);
    const [low, high] = [scratch.getUint32(0, true), scratch.getUint32(4, true)];
    // Zigzag: shift left by one bit, and invert all bits of a negative number.
    const sign = (high | 0) >> 31;
    const shiftedHigh = (high << 1) | (low >>> 31);
    return this.#wide(((low << 1) ^ sign) >>> 0, (shiftedHigh ^ sign) >>> 0);
  }

  fixed64(value: string): this {
    setDecimal(value, false);
    return this.#scratch(8);
  }

  sfixed64(value: string): this {
    setDecimal(value, true);
    return this.#scratch(8);
  }

  /** Writes a safe integer as an `int64`. */
  integer(value: number): this {
    setInteger(value);
    return this.#varint64();
  }

  /** Writes length-delimited bytes. */
  bytes(value: Uint8Array): this {
    return this.uint32(value.length).raw(value);
  }

  /** Writes base64 as length-delimited bytes. */
  base64(value: string): this {
    return this.bytes(bytesOfBase64(value));
  }

  /** Writes bytes without a length. `undefined` writes nothing. */
  raw(bytes: Uint8Array | undefined): this {
    if (bytes === undefined) return this;
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
    return this;
  }

  /** Writes a string as length-delimited UTF-8. A lone surrogate becomes U+FFFD. */
  string(value: string): this {
    if (typeof value !== "string") throw unexpected("string", value);
    const { length } = value;
    // A long string is encoded separately, because reserving its maximum size would waste memory.
    if (length > maxKept) return this.bytes(encoder.encode(value));
    this.#reserve(length * 3 + 5);
    if (length < shortText && this.#ascii(value)) return this;
    // The length in bytes is not known yet. For ASCII, it is the length of the string.
    const room = sizeOf(length);
    const start = this.#end + room;
    const written =
      utf8Write?.call(this.#bytes, value, start, length * 3) ??
      encoder.encodeInto(value, this.#bytes.subarray(start)).written;
    this.#end = start + written;
    this.#setLength(start, written, room);
    return this;
  }

  /**
   * Writes a short ASCII string with a loop, which is faster than the encoder. Returns `false` for
   * any other string.
   */
  #ascii(value: string): boolean {
    const { length } = value;
    const bytes = this.#bytes;
    const start = this.#end + 1;
    let all = 0;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      all |= code;
      bytes[start + index] = code;
    }
    if (all > 127) return false;
    bytes[start - 1] = length;
    this.#end = start + length;
    return true;
  }

  #varint64(): this {
    return this.#wide(scratch.getUint32(0, true), scratch.getUint32(4, true));
  }

  #wide(low: number, high: number): this {
    this.#reserve(10);
    let [rest, above] = [low, high];
    while (above > 0 || rest > 127) {
      this.#bytes[this.#end++] = (rest & 127) | 128;
      rest = ((rest >>> 7) | (above << 25)) >>> 0;
      above >>>= 7;
    }
    this.#bytes[this.#end++] = rest;
    return this;
  }

  #scratch(size: number): this {
    this.#reserve(size);
    for (let index = 0; index < size; index += 1)
      this.#bytes[this.#end++] = scratch.getUint8(index);
    return this;
  }

  #reserve(size: number): void {
    if (this.#end + size > this.#bytes.length) this.#grow(size);
  }

  #grow(size: number): void {
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#end + size));
    grown.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = grown;
  }
}

/** Returns the number of bytes that an encoded length occupies. */
function sizeOf(length: number): number {
  if (length < 128) return 1;
  if (length < 16_384) return 2;
  if (length < 2_097_152) return 3;
  return length < 268_435_456 ? 4 : 5;
}

/**
 * Converts a floating-point value from JSON, where it is a number or one of the strings `NaN`,
 * `Infinity` and `-Infinity`.
 */
function numberOf(value: unknown, expected: string): number {
  if (typeof value === "number") return value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  throw unexpected(expected, value);
}

const decimal = /^(?:0|-?[1-9]\d{0,19})$/;

/** Stores a decimal 64-bit integer, signed or not, in the scratch memory. */
function setDecimal(value: string, isSigned: boolean): void {
  if (typeof value === "string" && decimal.test(value)) {
    const number = Number(value);
    // Numbers are exact up to 2 ** 53, and much faster than `BigInt`.
    if (Number.isSafeInteger(number) && (isSigned || number >= 0)) {
      setInteger(number);
      return;
    }
    const big = BigInt(value);
    const bits = BigInt.asUintN(64, big);
    const truncated = isSigned ? BigInt.asIntN(64, big) : bits;
    if (truncated === big) {
      scratch.setBigUint64(0, bits, true);
      return;
    }
  }
  throw unexpected(
    isSigned ? "64-bit integer as a string" : "unsigned 64-bit integer as a string",
    value,
  );
}

function setInteger(value: number): void {
  scratch.setUint32(0, value >>> 0, true);
  scratch.setUint32(4, Math.floor(value / 4_294_967_296) >>> 0, true);
}
