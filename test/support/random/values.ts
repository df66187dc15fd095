import type {
  FieldDef,
  MessageDef,
  NumberType,
  Protocol,
  TypeDef,
  ValueType,
} from "../../../generator/protocol/model/types.js";
import { json, number, text } from "./json.js";
import type { Random } from "./random.js";
import { scalar, wellKnown, zeroOf } from "./scalars.js";

/**
 * Knowledge of a caller about values that their types do not contain. `Location` is the type of its
 * paths.
 */
export interface ValueOptions<Location> {
  /** Path of a field of a message. Elements of lists and maps start with an empty path. */
  readonly enter: (location: Location | undefined, message: string, field: string) => Location;
  /**
   * Creates values of a field, or of the elements of its list or map, if its type alone would allow
   * other values.
   */
  readonly field?: (location: Location) => ((random: Random) => unknown) | undefined;
  /** Groups of fields of a message, by path, of which at most one may be there. */
  readonly choices?: (message: string) => readonly (readonly string[])[];
  /** Makes strings of any kind; by default they may be empty. */
  readonly text?: (random: Random) => string;
}

/**
 * Random valid values of the types of a specification: canonical ProtoJSON for a proto, and values
 * without additional members for a schema. Patterns and limits of length are left to chance.
 */
export class Values<Location = undefined> {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #anys: readonly MessageDef[];
  readonly #options: Partial<ValueOptions<Location>>;
  readonly #text: (random: Random) => string;

  constructor({ types }: Pick<Protocol, "types">, options: Partial<ValueOptions<Location>> = {}) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    const messages = types.filter((type) => type.kind === "message");
    // In an Any, a field with this name would collide with the type.
    this.#anys = messages.filter(({ fields }) => fields.every(({ name }) => name !== "@type"));
    this.#options = options;
    this.#text = options.text ?? text;
  }

  /** Finds a type. Throws if it does not exist. */
  find(name: string): TypeDef {
    const type = this.#types.get(name);
    if (type === undefined) throw new Error(`Unknown type ${name}`);
    return type;
  }

  /** Returns a value of a type; the smaller `depth` is, the less it holds. */
  of(type: string | ValueType, random: Random, depth = 3): unknown {
    return typeof type === "string"
      ? this.#named(this.find(type), random, depth, undefined)
      : this.#value(type, random, depth, undefined);
  }

  /** Returns whether a value says nothing that its absence would not say. */
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

  #named(type: TypeDef, random: Random, depth: number, location: Location | undefined): unknown {
    switch (type.kind) {
      case "message":
        return this.#message(type, random, depth, location);
      case "enum":
        return random.pick(firstNames(type));
      case "union":
        return this.#value(random.pick(type.members), random, depth, location);
      case "alias":
        return this.#value(type.type, random, depth, location);
    }
  }

  #message(
    type: MessageDef,
    random: Random,
    depth: number,
    location: Location | undefined,
  ): object {
    const share = (random.below(4) / 3) * Math.min(1, 8 / type.fields.length);
    const entries: [string, unknown][] = [];
    for (const field of type.fields) {
      if (field.oneof !== undefined || field.type.kind === "never") continue;
      const isLeft =
        depth <= 0 ? isDeep(field.type) || random.oneIn(2) : random.next() >= share * 2 ** 32;
      if (field.presence !== "required" && isLeft) continue;
      const value = this.#field(type, field, random, depth - 1, location);
      if (field.presence !== "implicit" || !this.isDefault(field.type, value))
        entries.push([field.name, value]);
    }
    for (const { name, required } of type.oneofs) {
      const members = type.fields.filter(({ oneof }) => oneof === name);
      const shallow = depth > 0 ? members : members.filter((field) => !isDeep(field.type));
      const usable = shallow.length > 0 || !required ? shallow : members.slice(-1);
      if (usable.length === 0 || (!required && random.oneIn(3))) continue;
      const member = random.pick(usable);
      entries.push([member.name, this.#field(type, member, random, depth - 1, location)]);
    }
    const choices = this.#options.choices?.(type.name) ?? [];
    return choices.reduce<object>(
      (value, group) => keepOne(value, group, random),
      Object.fromEntries(entries),
    );
  }

  #field(
    owner: MessageDef,
    field: FieldDef,
    random: Random,
    depth: number,
    location: Location | undefined,
  ): unknown {
    const { type, nonEmpty } = field;
    const inner = this.#options.enter?.(location, owner.name, field.name);
    const make = inner === undefined ? undefined : this.#options.field?.(inner);
    if (make === undefined) return this.#value(type, random, depth, inner, nonEmpty ? 1 : 0);
    if (type.kind === "list") return random.list(2, () => make(random));
    if (type.kind !== "map") return make(random);
    return Object.fromEntries(random.list(2, () => [this.#text(random), make(random)] as const));
  }

  #value(
    type: ValueType,
    random: Random,
    depth: number,
    location: Location | undefined,
    least = 0,
  ): unknown {
    switch (type.kind) {
      case "enum":
      case "message":
      case "union":
      case "alias":
        return this.#named(this.find(type.name), random, depth, location);
      case "anyOf":
      case "oneOf":
        return this.#value(random.pick(type.members), random, depth, location);
      case "list": {
        const length = Math.max(least, type.minItems ?? 0) + random.below(depth > 0 ? 3 : 1);
        return Array.from({ length }, () => this.#value(type.element, random, depth, undefined));
      }
      case "map":
        return Object.fromEntries(
          random.list(depth > 0 ? 2 : 0, (): [string, unknown] => [
            type.key === "string" ? this.#text(random) : String(scalar(type.key, random)),
            this.#value(type.value, random, depth, undefined),
          ]),
        );
      default:
        return this.#plain(type, random, depth);
    }
  }

  #plain(type: ValueType, random: Random, depth: number): unknown {
    switch (type.kind) {
      case "scalar":
      case "wrapper":
        return type.scalar === "string" ? this.#text(random) : scalar(type.scalar, random);
      case "wellKnown":
        return type.wellKnown === "Any"
          ? this.#any(random, depth)
          : wellKnown(type.wellKnown, random);
      case "any":
        return json(random, [], 2);
      case "string":
        return this.#text(random);
      case "boolean":
        return random.oneIn(2);
      case "number":
        return numberOf(type, random);
      case "literal":
        return random.pick(type.values);
      case "null":
        return null;
      default:
        throw new Error(`Random values of the kind ${type.kind} are not supported`);
    }
  }

  #any(random: Random, depth: number): object {
    const held = random.below(4);
    if (held === 0) return {};
    if (held === 1 || depth <= 0)
      return {
        "@type": "type.googleapis.com/google.protobuf.Int64Value",
        value: scalar("int64", random),
      };
    if (held === 2)
      return {
        "@type": "type.googleapis.com/google.protobuf.Duration",
        value: wellKnown("Duration", random),
      };
    const type = random.pick(this.#anys);
    // protobuf-es puts this host before the name of each type that it packs.
    const url = `type.googleapis.com/${type.fullName}`;
    return { ...this.#message(type, random, Math.min(depth - 1, 1), undefined), "@type": url };
  }
}

/** Returns a number between the limits of a type. */
function numberOf({ integer, minimum, maximum }: NumberType, random: Random) {
  if (minimum === undefined && maximum === undefined)
    return integer
      ? random.pick([random.next() - 2 ** 31, random.below(20), 2 ** 53 - 1, -(2 ** 53)])
      : number(random);
  const [least, most] = [minimum ?? (maximum ?? 0) - 1_000, maximum ?? (minimum ?? 0) + 1_000];
  const found = least + random.below(most - least + 1);
  return integer || random.oneIn(2) ? found : Math.max(least, found - 0.5);
}

/** Keeps one of several present fields. */
function keepOne(value: object, paths: readonly string[], random: Random) {
  const present = paths
    .map((path) => path.split("."))
    .filter((path) => valueAt(value, path) !== undefined);
  const kept = random.below(present.length || 1);
  return present.filter((_, index) => index !== kept).reduce<object>(without, value);
}

/** Returns the value at a path, or `undefined`. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined,
    value,
  );
}

/** Returns a copy of an object without what is at a path. */
function without(value: object, [key = "", ...rest]: readonly string[]): object {
  const entries = Object.entries(value).flatMap(
    ([name, member]: [string, unknown]): [string, unknown][] => {
      if (name !== key) return [[name, member]];
      return rest.length > 0 && typeof member === "object" && member !== null
        ? [[name, without(member, rest)]]
        : [];
    },
  );
  return Object.fromEntries(entries);
}

/** If a number has several names, only the first name is kept in a round trip. */
function firstNames(type: TypeDef & { kind: "enum" }) {
  const { values } = type;
  return values
    .filter(
      ({ number: own }, index) =>
        own === undefined || values.findIndex((other) => other.number === own) === index,
    )
    .map(({ name }) => name);
}

/** Returns whether values of a type hold others of any type, so that they may never end. */
function isDeep({ kind }: ValueType) {
  return ["message", "union", "alias", "anyOf", "oneOf", "list", "map"].includes(kind);
}

/** The keys that documents of a specification have: JSON and proto names of all fields. */
export function keysOf({ types }: Protocol): string[] {
  const fields: readonly FieldDef[] = types.flatMap((type) =>
    type.kind === "message" ? type.fields : [],
  );
  return [
    ...new Set(
      fields.flatMap(({ name, proto }) => [name, ...(proto === undefined ? [] : [proto.name])]),
    ),
  ];
}
