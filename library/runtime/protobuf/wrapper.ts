import { leave, skip, type Reader } from "./wire.js";

/** Decodes a wrapper of `google.protobuf`: a message with one scalar in the field with `tag`. */
export function readWrapper<T>(
  reader: Reader,
  end: number,
  tag: number,
  zero: T,
  read: () => T,
): T {
  let value = zero;
  while (reader.pos < end) {
    const found = reader.uint32();
    if (found === tag) value = read();
    else skip(reader, found, end, 0);
  }
  leave(reader, end);
  return value;
}
