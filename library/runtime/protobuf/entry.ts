import { leave, setEntry, skip, type Reader } from "./wire.js";

/** Options for reading the entries of a map. */
export interface EntryReader<V> {
  readonly keyTag: number;
  readonly key: () => string;
  readonly zeroKey: string;
  readonly valueTag: number;
  /** Reads the value of an entry that ends at the byte `end`. */
  readonly value: (end: number) => V;
  /** Returns the value to use if an entry contains no value. */
  readonly zero: () => V;
}

/** Reads an entry of a map up to the byte `end`. */
export function readEntry<V>(
  reader: Reader,
  end: number,
  map: Record<string, V>,
  entry: EntryReader<V>,
): void {
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
