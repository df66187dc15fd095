// Part of a2a-codegen 0.1.0. Do not edit.

import { leave, setEntry, skip, type Reader } from "./wire.js";

/** How the entries of a map are read. */
export interface EntryReader<V> {
  readonly keyTag: number;
  readonly key: () => string;
  readonly zeroKey: string;
  readonly valueTag: number;
  /** Reads the value of an entry that ends at the byte `end`. */
  readonly value: (end: number) => V;
  /** The value of an entry that carries none. */
  readonly zero: () => V;
}

/** Reads one entry of a map up to the byte `end`. */
export function readEntry<V>(reader: Reader, end: number, map: Record<string, V>, entry: EntryReader<V>): void {
  let key = entry.zeroKey;
  let value: V | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === entry.keyTag) key = entry.key();
    else if (tag === entry.valueTag) value = entry.value(end);
    else skip(reader, tag, end, 0);
  }
  leave(reader, end);
  setEntry(map, key, value ?? entry.zero());
}
