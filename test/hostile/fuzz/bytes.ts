import { rawFields } from "../../oracle/bytes.js";
import type { Random } from "../../support/random/random.js";

/** Numbers as varints that take too many bytes, or say too much. */
const badVarints: readonly (readonly number[])[] = [
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
  [0x80, 0x80, 0x80, 0x80, 0x08],
  [0x80],
  [0xff],
];

/** Random bytes: garbage, or tags with fields behind them, some of which lie about their length. */
export function randomBytes(random: Random): Uint8Array {
  if (random.oneIn(4)) return Uint8Array.from(random.list(40, () => random.below(256)));
  return Uint8Array.from(random.list(8, () => randomField(random)).flat());
}

function randomField(random: Random) {
  const tag = ((random.oneIn(8) ? random.below(2 ** 20) : random.below(40)) << 3) | random.below(8);
  const content = random.list(12, () => random.below(256));
  if ((tag & 7) !== 2) return [...varint(tag), ...content];
  const length = random.oneIn(4)
    ? random.pick(badVarints)
    : varint(content.length + random.pick([0, 0, 0, 1, -1]));
  return [...varint(tag), ...length, ...content];
}

/** Bytes of a message of which one field is another one, at any depth; their lengths are right. */
export function reshaped(bytes: Uint8Array, random: Random): Uint8Array {
  let fields: { number: number; type: number; data: Uint8Array }[];
  try {
    fields = rawFields(bytes);
  } catch {
    return damaged(bytes, random);
  }
  const field = fields[random.below(fields.length || 1)];
  if (field === undefined) return Uint8Array.from(randomField(random));
  switch (random.below(8)) {
    case 0:
      fields.splice(fields.indexOf(field), 1);
      break;
    case 1:
      fields.splice(random.below(fields.length), 0, field);
      break;
    case 2:
      field.number = 1 + random.below(20);
      break;
    case 3:
      field.data = field.type === 2 ? damaged(field.data, random) : field.data;
      break;
    default:
      if (field.type === 2) field.data = reshaped(field.data, random);
      else if (field.type === 0)
        field.data = Uint8Array.from(varint(random.next() >>> random.below(32)));
  }
  return Uint8Array.from(fields.flatMap(written));
}

function written({ number, type, data }: { number: number; type: number; data: Uint8Array }) {
  return [...varint((number << 3) | type), ...(type === 2 ? varint(data.length) : []), ...data];
}

/** Bytes that were a message, damaged at a few positions. */
export function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  let result = Array.from(bytes);
  for (let left = 1 + random.below(3); left > 0; left -= 1) result = damage(result, random);
  return Uint8Array.from(result);
}

function damage(bytes: readonly number[], random: Random) {
  const at = random.below(bytes.length + 1);
  const [before, after] = [bytes.slice(0, at), bytes.slice(at)];
  const [first = 0, ...rest] = after;
  switch (random.below(9)) {
    case 0:
      return before;
    case 1:
      return [...before, ...rest];
    case 2:
      return [...before, random.below(256), ...after];
    case 3:
      return [...before, random.below(256), ...rest];
    case 4:
      return [...before, first ^ (1 << random.below(8)), ...rest];
    case 5:
      return [...before, ...random.pick(badVarints), ...rest];
    case 6:
      return [...before, ...after.slice(0, 1 + random.below(16)), ...after];
    case 7:
      return [...before, ...nested(random), ...after];
    default:
      return [...before, ...randomField(random), ...after];
  }
}

/** Groups or messages in one another, some deeper than any parser may follow. */
function nested(random: Random) {
  const depth = random.pick([3, 99, 100, 101, 400]);
  const field = 1 + random.below(15);
  if (random.oneIn(2)) {
    const ends = random.oneIn(4) ? depth - 1 : depth;
    return [
      ...Array<number>(depth).fill((field << 3) | 3),
      ...Array<number>(ends).fill((field << 3) | 4),
    ];
  }
  let content: number[] = [];
  for (let level = 0; level < depth; level += 1)
    content = [(field << 3) | 2, ...varint(content.length), ...content];
  return content;
}

function varint(value: number) {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

/** Shorter bytes: without a half, a quarter, or one of them. */
export function* smallerBytes(bytes: Uint8Array): Iterable<Uint8Array> {
  for (
    let size = Math.ceil(bytes.length / 2);
    size > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < bytes.length; at += size)
      yield Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + size)]);
}

/** Bytes as two hexadecimal digits each. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
