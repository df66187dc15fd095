import type { FieldDef, MessageDef, ValueType } from "../../generator/protocol/model/types.js";
import { json, text } from "../support/random/json.js";
import { zeroOf } from "../support/random/scalars.js";
import type { Values } from "../support/random/values.js";
import type { Random } from "../support/random/random.js";

/** Writes canonical ProtoJSON in the other forms that parsers must read. */
export class Spellings {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** Another spelling of a value of a type that means the same. */
  of(name: string, value: unknown, random: Random): unknown {
    const type = this.#values.find(name);
    if (type.kind === "message")
      return this.#message(type, value as Record<string, unknown>, random);
    if (type.kind !== "enum" || !random.oneIn(2)) return value;
    return type.values.find((candidate) => candidate.name === value)?.number ?? value;
  }

  #message(
    { fields }: MessageDef,
    value: Readonly<Record<string, unknown>>,
    random: Random,
  ): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    const used = new Set<string>();
    for (const field of fields) {
      const key = random.oneIn(3) ? (field.proto?.name ?? field.name) : field.name;
      const given = Object.hasOwn(value, field.name)
        ? value[field.name]
        : this.#nothing(field, random);
      if (given === undefined) continue;
      used.add(key);
      entries.push([key, given === null ? null : this.#value(field.type, given, random)]);
    }
    const unknown = text(random);
    const isKnown = fields.some(({ name, proto }) => unknown === name || unknown === proto?.name);
    if (random.oneIn(4) && !isKnown) entries.push([unknown, json(random, [], 1)]);
    return Object.fromEntries(random.oneIn(3) ? entries.reverse() : entries);
  }

  /** Forms of an absent field: omitted, null, or its default if that is equivalent. */
  #nothing({ type, presence, oneof }: FieldDef, random: Random): unknown {
    if (!random.oneIn(6) || presence === "required") return undefined;
    const isNull =
      type.kind === "wellKnown" && (type.wellKnown === "Value" || type.wellKnown === "NullValue");
    if (random.oneIn(2) && !isNull) return null;
    if (presence !== "implicit" || oneof !== undefined) return undefined;
    if (type.kind === "list") return [];
    if (type.kind === "map") return {};
    return type.kind === "scalar" ? zeroOf(type.scalar) : undefined;
  }

  #value(type: ValueType, value: unknown, random: Random): unknown {
    switch (type.kind) {
      case "message":
      case "enum":
        return this.of(type.name, value, random);
      case "list":
        return (value as unknown[]).map((item) => this.#value(type.element, item, random));
      case "map":
        return Object.fromEntries(
          Object.entries(value as object).map(
            ([key, item]) => [key, this.#value(type.value, item, random)] as const,
          ),
        );
      case "scalar":
      case "wrapper":
        return random.oneIn(2) ? value : respelled(type.scalar, value, random);
      case "wellKnown":
        if (type.wellKnown === "Timestamp" && random.oneIn(2))
          return elsewhere(String(value), random);
        if (type.wellKnown === "Duration" && random.oneIn(2))
          return String(value).replace(/\.(\d+?)0*s$/, ".$1s");
        return value;
      default:
        return value;
    }
  }
}

function respelled(scalar: string, value: unknown, random: Random) {
  if (scalar === "bytes") {
    const bare = String(value).replaceAll("=", "");
    return random.oneIn(2) ? bare : bare.replaceAll("+", "-").replaceAll("/", "_");
  }
  if (scalar === "string" || scalar === "bool") return value;
  if (scalar.endsWith("64")) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== "number") return value;
  return Number.isInteger(value) && random.oneIn(2) ? `${value}.0` : String(value);
}

/** The same moment in another zone, or with another number of digits. */
function elsewhere(timestamp: string, random: Random) {
  const [, start = "", fraction = ""] = /^(.{19})(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  const point = fraction === "" ? "" : `.${fraction.replace(/0+$/, "")}`;
  const minutes = random.below(24 * 60);
  const local = Date.parse(`${start}Z`) + minutes * 60_000;
  if (local > 253_402_300_799_000 || random.oneIn(3)) return `${start}${point}Z`;
  const zone = `+${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  return `${new Date(local).toISOString().slice(0, 19)}${point}${zone}`;
}
