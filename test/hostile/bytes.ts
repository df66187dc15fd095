import type { Subject } from "./subject.js";

/** Encodes a field of bytes, string or message, regardless of its declared type. */
export function field(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]),
    bytes,
  ]);
}

/** A field of a number. */
export function numberField(number: number, value: number | bigint): Buffer {
  return Buffer.from([...varint(number << 3), ...varint(value)]);
}

function varint(value: number | bigint) {
  const result: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    const low = Number(rest & 127n);
    result.push(rest > 127n ? low | 128 : low);
    if (rest <= 127n) return result;
  }
}

/** Wraps bytes into fields, the innermost first. */
export function wrap(content: Uint8Array, ...numbers: number[]): Uint8Array {
  return numbers.reduce<Uint8Array>((inner, number) => field(number, inner), content);
}

/** `google.protobuf.Value` nested in itself, in lists or in structs. */
export function nestedValue(levels: number, kind: "list" | "struct"): Uint8Array {
  let value: Uint8Array = Buffer.from([8, 0]);
  for (let level = 0; level < levels; level++) {
    value =
      kind === "list"
        ? wrap(value, 1, 6)
        : wrap(Buffer.concat([field(1, "a"), field(2, value)]), 1, 5);
  }
  return value;
}

/** The bytes of a message of the user with parts, which are given as bytes. */
export function messageBytes({ numbers }: Subject, ...parts: readonly Uint8Array[]): Uint8Array {
  const all = [field(1, "m1"), numberField(4, 1), ...parts.map((part) => field(5, part))];
  return field(numbers.message, Buffer.concat(all));
}
