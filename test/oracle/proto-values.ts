import type {
  FieldDef,
  MessageDef,
  Protocol,
  ScalarName,
  TypeDef,
  ValueType,
  WellKnownName,
} from "../../generator/protocol/model/types.js";
import { json, number, object, text } from "./json.js";
import type { Random } from "./random.js";

/** Random values of the types of a specification whose JSON is ProtoJSON, in their canonical form. */
export class ProtoValues {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #anys: readonly MessageDef[];

  constructor({ types }: Protocol) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#anys = types.filter((type) => type.kind === "message");
  }

  /** Finds a type. Throws for one that is not there. */
  find(name: string): TypeDef {
    const type = this.#types.get(name);
    if (type === undefined) throw new Error(`There is no type ${name}`);
    return type;
  }

  /** A value of a type; the smaller `depth` is, the less it holds. */
  of(name: string, random: Random, depth = 3): unknown {
    const type = this.find(name);
    if (type.kind === "enum") return random.pick(firstNames(type));
    if (type.kind !== "message") throw new Error(`${name} is no type of a proto`);
    return this.#message(type, random, depth);
  }

  #message(type: MessageDef, random: Random, depth: number): Record<string, unknown> {
    const share = (random.below(4) / 3) * Math.min(1, 8 / type.fields.length);
    const entries: [string, unknown][] = [];
    for (const field of type.fields) {
      if (field.oneof !== undefined) continue;
      const isLeft = depth <= 0 ? isDeep(field.type) || random.oneIn(2) : random.next() >= share * 2 ** 32;
      if (field.presence !== "required" && isLeft) continue;
      const value = this.#value(field.type, random, depth - 1, field.nonEmpty ? 1 : 0);
      if (field.presence !== "implicit" || !this.isDefault(field.type, value)) entries.push([field.name, value]);
    }
    for (const { name, required } of type.oneofs) {
      const members = type.fields.filter(({ oneof }) => oneof === name);
      const shallow = depth > 0 ? members : members.filter((field) => !isDeep(field.type));
      const usable = shallow.length > 0 || !required ? shallow : members.slice(-1);
      if (usable.length === 0 || (!required && random.oneIn(3))) continue;
      const member = random.pick(usable);
      entries.push([member.name, this.#value(member.type, random, depth - 1)]);
    }
    return Object.fromEntries(entries);
  }

  /** Tells whether a value says nothing that its absence would not say. */
  isDefault(type: ValueType, value: unknown): boolean {
    if (type.kind === "enum") {
      const found = this.find(type.name);
      return found.kind === "enum" && found.values.find(({ name }) => name === value)?.number === 0;
    }
    if (type.kind === "list") return Array.isArray(value) && value.length === 0;
    if (type.kind === "map") return Object.keys(value as object).length === 0;
    if (type.kind === "wellKnown") return type.wellKnown === "NullValue";
    return type.kind === "scalar" && value === zeroOf(type.scalar);
  }

  #value(type: ValueType, random: Random, depth: number, least = 0): unknown {
    switch (type.kind) {
      case "scalar":
      case "wrapper":
        return scalar(type.scalar, random);
      case "wellKnown":
        return type.wellKnown === "Any" ? this.#any(random, depth) : wellKnown(type.wellKnown, random);
      case "enum":
      case "message":
        return this.of(type.name, random, depth);
      case "list":
        return Array.from({ length: least + random.below(depth > 0 ? 3 : 1) }, () =>
          this.#value(type.element, random, depth),
        );
      case "map": {
        const entries = random.list(depth > 0 ? 2 : 0, () => [
          String(scalar(type.key, random)),
          this.#value(type.value, random, depth),
        ]);
        return Object.fromEntries(entries as [string, unknown][]);
      }
      default:
        throw new Error(`${type.kind} is no type of a proto`);
    }
  }

  #any(random: Random, depth: number): Record<string, unknown> {
    const held = random.below(4);
    if (held === 0) return {};
    if (held === 1 || depth <= 0)
      return { "@type": "type.googleapis.com/google.protobuf.Int64Value", value: scalar("int64", random) };
    if (held === 2)
      return { "@type": "type.googleapis.com/google.protobuf.Duration", value: wellKnown("Duration", random) };
    const type = random.pick(this.#anys);
    // protobuf-es puts this host before the name of each type that it packs.
    const url = `type.googleapis.com/${type.fullName}`;
    return { ...this.#message(type, random, Math.min(depth - 1, 1)), "@type": url };
  }
}

/** Of several names for one number only the first one comes back. */
function firstNames(type: TypeDef & { kind: "enum" }): string[] {
  const { values } = type;
  return values
    .filter((value, index) => values.findIndex(({ number: other }) => other === value.number) === index)
    .map(({ name }) => name);
}

/** Tells whether values of a type hold others of any type, so that they may never end. */
function isDeep({ kind }: ValueType): boolean {
  return kind === "message" || kind === "list" || kind === "map";
}

/** The default of a scalar in JSON. */
export function zeroOf(name: ScalarName): unknown {
  if (name === "string" || name === "bytes") return "";
  if (name === "bool") return false;
  return name.endsWith("64") ? "0" : 0;
}

const edges32 = [0, 1, -1, -(2 ** 31), 2 ** 31 - 1, 127, 128, 300];
const edges64 = ["0", "1", "-1", "-9223372036854775808", "9223372036854775807", "9007199254740993"];
const unnamed = ["NaN", "Infinity", "-Infinity", 0, 1.5];

/** A random scalar in its canonical JSON. */
export function scalar(name: ScalarName, random: Random): unknown {
  switch (name) {
    case "string":
      return text(random);
    case "bytes":
      return Buffer.from(random.list(6, () => random.below(256))).toString("base64");
    case "bool":
      return random.oneIn(2);
    case "double":
      return random.oneIn(4) ? random.pick(unnamed) : number(random);
    case "float":
      return random.oneIn(4) ? random.pick(unnamed) : shortFloat(Math.fround(number(random)));
    case "int32":
    case "sint32":
    case "sfixed32":
      return random.oneIn(3) ? random.pick(edges32) : random.next() | 0;
    case "uint32":
    case "fixed32":
      return random.oneIn(3) ? random.pick(edges32) >>> 0 : random.next();
    case "int64":
    case "sint64":
    case "sfixed64":
      return random.oneIn(3) ? random.pick(edges64) : String(BigInt.asIntN(64, wide(random)));
    case "uint64":
    case "fixed64":
      return random.oneIn(3) ? String(BigInt.asUintN(64, BigInt(random.pick(edges64)))) : String(wide(random));
  }
}

function wide(random: Random): bigint {
  return (BigInt(random.next()) << 32n) | BigInt(random.next());
}

/** The shortest decimal of a 32-bit number. */
function shortFloat(value: number): number {
  if (!Number.isFinite(value)) return 0;
  if (Number.isInteger(value)) return value;
  const digits = Array.from({ length: 9 }, (_, index) => Number(value.toPrecision(index + 1)));
  return digits.find((candidate) => Math.fround(candidate) === value) ?? value;
}

const fractions = ["", "", ".500", ".001", ".000001", ".123456789", ".999999999"];

function wellKnown(name: WellKnownName, random: Random): unknown {
  switch (name) {
    case "Timestamp": {
      const seconds = random.oneIn(4)
        ? random.pick([0, -1, -62_135_596_800, 253_402_300_799, 951_782_400])
        : random.below(2 ** 32) - 2 ** 30;
      return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${random.pick(fractions)}Z`;
    }
    case "Duration": {
      const whole = random.oneIn(4) ? random.pick([0, 1, 315_576_000_000]) : random.next();
      const rest = random.pick(fractions);
      const isZero = whole === 0 && rest === "";
      return `${random.oneIn(2) && !isZero ? "-" : ""}${whole}${rest}s`;
    }
    case "FieldMask":
      return random.pick(["", "a", "fooBar", "a,b.cD", "a1,b2C"]);
    case "Struct":
      return object(random, [], 2);
    case "Value":
      return json(random, [], 2);
    case "ListValue":
      return random.list(3, () => json(random, [], 1));
    case "NullValue":
      return null;
    case "Empty":
    case "Any":
      return {};
  }
}

/** The keys that documents of a specification have: JSON and proto names of all fields. */
export function keysOf({ types }: Protocol): string[] {
  const fields: readonly FieldDef[] = types.flatMap((type) => (type.kind === "message" ? type.fields : []));
  return [...new Set(fields.flatMap(({ name, proto }) => [name, ...(proto === undefined ? [] : [proto.name])]))];
}
