import fc from "./properties.js";
import type {
  FieldDef,
  MessageDef,
  NumberType,
  Protocol,
  TypeDef,
  ValueType,
} from "../../generator/protocol/model/types.js";

/** What a caller knows better about the values. */
export interface ModelOptions<Place> {
  /** Random values of a field, or of what its list or map holds, where its type alone would give others. */
  readonly values?: (place: Place) => fc.Arbitrary<unknown> | undefined;
  /** The place of a field of a message; lists and maps begin without one. */
  readonly enter: (place: Place | undefined, message: string, field: string) => Place;
  /** Groups of fields of a message, by path, of which at most one may be there. */
  readonly choices?: (message: string) => readonly (readonly string[])[];
  /** Text of any kind; by default it may be empty. */
  readonly text?: fc.Arbitrary<string>;
}

/** Well-formed text. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ maxLength: 6 }),
  fc.constantFrom("", "é€😀", "__proto__", "constructor", "a/b", " ", "null", "%2F"),
);

const integers = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 53));
const doubles = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), integers);

/** Random valid values of the types of a schema: all that the types allow, but for fields that they do not know. */
export class Models<Place> {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #options: ModelOptions<Place>;
  readonly #text: fc.Arbitrary<string>;
  readonly #json: fc.Arbitrary<unknown>;

  constructor({ types }: Protocol, options: ModelOptions<Place>) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#options = options;
    this.#text = options.text ?? texts;
    this.#json = fc.jsonValue({ maxDepth: 2, stringUnit: "binary" });
  }

  /** Random values of a type, as they are when they have been JSON. */
  of(type: ValueType): fc.Arbitrary<unknown> {
    return this.#value(type, 4, undefined).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  }

  #value(type: ValueType, depth: number, place: Place | undefined): fc.Arbitrary<unknown> {
    switch (type.kind) {
      case "message":
      case "enum":
      case "union":
      case "alias":
        return this.#named(this.#find(type.name), depth, place);
      case "list":
        return fc.array(this.#value(type.element, depth - 1, undefined), {
          minLength: type.minItems ?? 0,
          maxLength: Math.max(type.minItems ?? 0, depth > 0 ? 2 : 0),
        });
      case "map":
        return fc.dictionary(this.#text, this.#value(type.value, depth - 1, undefined), { maxKeys: depth > 0 ? 2 : 0 });
      case "anyOf":
      case "oneOf":
        return fc.oneof(...type.members.map((member) => this.#value(member, depth, place)));
      default:
        return this.#plain(type);
    }
  }

  #plain(type: ValueType): fc.Arbitrary<unknown> {
    switch (type.kind) {
      case "any":
        return this.#json;
      case "string":
        return this.#text;
      case "boolean":
        return fc.boolean();
      case "number":
        return numbersOf(type);
      case "literal":
        return fc.constantFrom(...type.values);
      case "null":
        return fc.constant(null);
      default:
        throw new Error(`There are no random values of the kind ${type.kind}`);
    }
  }

  #named(type: TypeDef, depth: number, place: Place | undefined): fc.Arbitrary<unknown> {
    switch (type.kind) {
      case "enum":
        return fc.constantFrom(...type.values.map(({ name }) => name));
      case "alias":
        return this.#value(type.type, depth, place);
      case "union":
        return fc.oneof(...type.members.map((member) => this.#value(member, depth, place)));
      case "message":
        return this.#message(type, depth, place);
    }
  }

  #message({ name, fields }: MessageDef, depth: number, place: Place | undefined): fc.Arbitrary<object> {
    const entries = fields
      .filter((field) => depth > 0 || field.presence === "required")
      .map((field) => [field.name, this.#field(field, depth, this.#options.enter(place, name, field.name))] as const);
    const requiredKeys = fields.filter(({ presence }) => presence === "required").map((field) => field.name);
    const choices = this.#options.choices?.(name) ?? [];
    return fc
      .tuple(fc.record(Object.fromEntries(entries), { requiredKeys }), fc.nat({ max: 11 }))
      .map(([value, chosen]) => choices.reduce<object>((result, group) => keepOne(result, group, chosen), value));
  }

  #field({ type }: FieldDef, depth: number, place: Place): fc.Arbitrary<unknown> {
    const values = this.#options.values?.(place);
    if (values === undefined) return fc.memo(() => this.#value(type, depth - 1, place))(1);
    if (type.kind === "list") return fc.array(values, { maxLength: 2 });
    return type.kind === "map" ? fc.dictionary(this.#text, values, { maxKeys: 2 }) : values;
  }

  #find(name: string): TypeDef {
    const type = this.#types.get(name);
    if (type === undefined) throw new Error(`There is no type ${name}`);
    return type;
  }
}

/** Random numbers between the bounds of a type, which may not exclude their ends. */
function numbersOf({ integer, minimum, maximum }: NumberType): fc.Arbitrary<number> {
  if (minimum === undefined && maximum === undefined) return integer ? integers : doubles;
  const [min, max] = [minimum ?? 1 - 2 ** 53, maximum ?? 2 ** 53 - 1];
  return integer ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
}

/** Keeps one of several fields: the one that `chosen` picks among those that are there. */
function keepOne(value: object, paths: readonly string[], chosen: number): object {
  const there = paths.filter((path) => valueAt(value, path.split(".")) !== undefined);
  const dropped = there.filter((_, index) => index !== chosen % there.length);
  return dropped.reduce<object>((result, path) => without(result, path.split(".")), value);
}

/** What is at a path of a value. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
}

/** A copy of an object without what is at a path. */
export function without(value: object, [key = "", ...rest]: readonly string[]): object {
  const entries = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (name !== key) return [[name, member] as const];
    return rest.length === 0 || typeof member !== "object" || member === null
      ? []
      : [[name, without(member, rest)] as const];
  });
  return Object.fromEntries(entries);
}
