import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Random } from "../support/random/random.js";

/** A field in bytes: a varint in its shortest form, and other values unchanged. */
interface RawField {
  readonly number: number;
  readonly type: WireType;
  readonly data: Uint8Array;
}

/** Options for variants of bytes. */
export interface RespellOptions {
  /** Whether values may precede values that replace them. Default: `true`. */
  readonly replaced?: boolean;
}

/**
 * Returns a variant of the bytes of a message: reordered fields with unknown fields between them,
 * packed or unpacked lists, split messages, replaced values, and numbers with additional bytes.
 */
export function respell(
  bytes: Uint8Array,
  message: DescMessage,
  random: Random,
  options: RespellOptions = {},
): Uint8Array {
  const groups = new Map<number, RawField[]>();
  for (const raw of rawFields(bytes)) {
    const field = message.fields.find(({ number }) => number === raw.number);
    const list = groups.get(raw.number) ?? [];
    groups.set(raw.number, list);
    list.push(...(field === undefined ? [raw] : respelled(raw, field, random, options)));
  }
  const known = new Set(message.fields.map(({ number }) => number));
  const unknown = random.list(2, () => unknownField(known, random));
  const queues = [...groups.values(), ...unknown.map((field) => [field])];
  const out: Uint8Array[] = [];
  while (queues.length > 0) {
    const at = random.below(queues.length);
    const next = queues[at]?.shift();
    if (next === undefined) queues.splice(at, 1);
    else out.push(written(next, random));
  }
  return joined(out);
}

/** The fields of a message, one after another. */
export function rawFields(bytes: Uint8Array): RawField[] {
  const reader = new BinaryReader(bytes);
  const fields: RawField[] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) {
      fields.push({ number, type, data: reader.bytes() });
      continue;
    }
    const start = reader.pos;
    reader.skip(type, number);
    fields.push({ number, type, data: bytes.subarray(start, reader.pos) });
  }
  return fields;
}

function respelled(raw: RawField, field: DescField, random: Random, options: RespellOptions) {
  if (field.fieldKind === "list" && field.listKind !== "message")
    return repacked(raw, field, random);
  if (field.fieldKind === "map")
    return [{ ...raw, data: respelledEntry(raw.data, field, random, options) }];
  if (field.message === undefined) {
    // Of a field that comes twice, the last one counts.
    return field.fieldKind === "scalar" && options.replaced !== false && random.oneIn(4)
      ? [zeroed(raw), raw]
      : [raw];
  }
  const { data } = raw;
  const inner = isKnown(field.message) ? data : respell(data, field.message, random, options);
  if (field.fieldKind !== "message" || isKnown(field.message) || !random.oneIn(2))
    return [{ ...raw, data: inner }];
  const parts = rawFields(inner);
  const middle = random.below(parts.length + 1);
  const part = (some: readonly RawField[]): RawField => ({
    ...raw,
    data: joined(some.map((one) => written(one))),
  });
  return [part(parts.slice(0, middle)), part(parts.slice(middle))];
}

/** The messages of google.protobuf are read whole. */
function isKnown({ typeName }: DescMessage) {
  return typeName.startsWith("google.protobuf.");
}

function zeroed(raw: RawField): RawField {
  const { type, data } = raw;
  if (type === WireType.Varint) return { ...raw, data: new Uint8Array(1) };
  return {
    ...raw,
    data: type === WireType.LengthDelimited ? new Uint8Array() : new Uint8Array(data.length),
  };
}

function respelledEntry(
  data: Uint8Array,
  field: DescField & { fieldKind: "map" },
  random: Random,
  options: RespellOptions,
): Uint8Array {
  const fields = rawFields(data).map((one) =>
    one.number === 2 && field.mapKind === "message" && !isKnown(field.message)
      ? { ...one, data: respell(one.data, field.message, random, options) }
      : one,
  );
  const ordered = random.oneIn(2) ? fields.reverse() : fields;
  const unknown = random.oneIn(4) ? [unknownField(new Set([1, 2]), random)] : [];
  return joined([...ordered, ...unknown].map((one) => written(one, random)));
}

/** A list of numbers, packed in one or two parts, or not at all. */
function repacked(raw: RawField, field: DescField & { fieldKind: "list" }, random: Random) {
  const type =
    field.listKind === "enum" ? WireType.Varint : wireTypeOf(field.scalar ?? ScalarType.STRING);
  if (type === WireType.LengthDelimited) return [raw];
  const single = raw.type === WireType.LengthDelimited ? elementsOf(raw.data, type) : [raw.data];
  const packed = (items: readonly Uint8Array[]): RawField => ({
    number: raw.number,
    type: WireType.LengthDelimited,
    data: joined(items.map((data) => (type === WireType.Varint ? longer(data, random) : data))),
  });
  const middle = random.below(single.length + 1);
  if (random.oneIn(3)) return [packed(single)];
  if (random.oneIn(2)) return [packed(single.slice(0, middle)), packed(single.slice(middle))];
  return single.map((data) => ({ number: raw.number, type, data }));
}

function wireTypeOf(scalar: ScalarType): WireType {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

function elementsOf(data: Uint8Array, type: WireType) {
  const elements: Uint8Array[] = [];
  for (let start = 0; start < data.length;) {
    let end = start + (type === WireType.Bit64 ? 8 : type === WireType.Bit32 ? 4 : 1);
    while (type === WireType.Varint && ((data[end - 1] ?? 0) & 0x80) !== 0) end += 1;
    elements.push(data.subarray(start, end));
    start = end;
  }
  return elements;
}

function unknownField(known: ReadonlySet<number>, random: Random): RawField {
  let number = 1 + random.below(40);
  // Those from 19,000 on are for implementations of protobuf.
  while (known.has(number) || Math.trunc(number / 1_000) === 19)
    number = 1 + random.below(random.oneIn(4) ? 2 ** 29 - 1 : 2_000);
  const bytes = (length: number): Uint8Array =>
    Uint8Array.from({ length }, () => random.below(256));
  switch (random.below(5)) {
    case 0:
      return {
        number,
        type: WireType.Varint,
        data: longer(new BinaryWriter().uint32(random.next()).finish(), random),
      };
    case 1:
      return { number, type: WireType.Bit64, data: bytes(8) };
    case 2:
      return { number, type: WireType.Bit32, data: bytes(4) };
    case 3: {
      const inner = random.oneIn(2) ? [unknownField(new Set([number]), random)] : [];
      const end = new BinaryWriter().tag(number, WireType.EndGroup).finish();
      return {
        number,
        type: WireType.StartGroup,
        data: joined([...inner.map((one) => written(one)), end]),
      };
    }
    default:
      return { number, type: WireType.LengthDelimited, data: bytes(random.below(4)) };
  }
}

/** Returns the bytes of a field. `random` determines which numbers have additional bytes. */
function written({ number, type, data }: RawField, random?: Random): Uint8Array {
  const tag = new BinaryWriter().tag(number, type).finish();
  const head = random === undefined ? tag : longer(tag, random, 5);
  if (type === WireType.Varint && random !== undefined) return joined([head, longer(data, random)]);
  if (type !== WireType.LengthDelimited) return joined([head, data]);
  const length = new BinaryWriter().uint32(data.length).finish();
  return joined([head, random === undefined ? length : longer(length, random, 5), data]);
}

/** A varint with bytes at its end that say nothing. */
function longer(varint: Uint8Array, random: Random, most = 10) {
  const extra = random.oneIn(6) ? random.below(most - varint.length + 1) : 0;
  if (extra <= 0) return varint;
  const padded = new Uint8Array(varint.length + extra).fill(0x80);
  padded.set(varint);
  padded[varint.length - 1] = (varint.at(-1) ?? 0) | 0x80;
  padded[padded.length - 1] = 0;
  return padded;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
