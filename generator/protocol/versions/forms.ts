import type { Shapes } from "../correlate/shape.js";
import type { FieldDef, ValueType } from "../model/types.js";
import { earlier, later } from "./sides.js";
import type { Side, Sides } from "./types.js";

type Form = "any" | "string" | "number" | "boolean" | "null" | "list" | "object";

const numbers = /^(?:double|float|(?:s?fixed|s?int|uint)32)$/;

/** Returns the JSON forms of a type's values. */
export function formsOf(type: ValueType, shapes: Shapes): ReadonlySet<Form> {
  return new Set(
    shapes.alternatives(type).flatMap((alternative) => formsOfOne(alternative, shapes)),
  );
}

function formsOfOne(type: ValueType, shapes: Shapes): readonly Form[] {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      if (type.scalar === "bool") return ["boolean"];
      return numbers.test(type.scalar) ? ["number"] : ["string"];
    case "wellKnown":
      return [wellKnownForms[type.wellKnown]];
    case "literal":
      return type.values.map((value) => (value === null ? "null" : (typeof value as Form)));
    case "enum":
      return ["string"];
    case "message":
    case "map":
      return ["object"];
    case "list":
    case "string":
    case "number":
    case "boolean":
    case "null":
      return [type.kind];
    case "allOf":
      return type.members.slice(0, 1).flatMap((member) => [...formsOf(member, shapes)]);
    default:
      return ["any"];
  }
}

const wellKnownForms = {
  Timestamp: "string",
  Duration: "string",
  FieldMask: "string",
  Struct: "object",
  Any: "object",
  Empty: "object",
  Value: "any",
  ListValue: "list",
  NullValue: "null",
} as const satisfies Record<string, Form>;

/**
 * Returns whether two types have a JSON form in common, so that a value may belong to both types.
 */
export function haveCommonForm(from: ReadonlySet<Form>, to: ReadonlySet<Form>): boolean {
  return from.has("any") || to.has("any") || [...from].some((form) => to.has(form));
}

/**
 * Returns the version in which a value is an integer, if the value is a string in the other
 * version.
 */
export function digitsOf(
  older: ValueType,
  newer: ValueType,
  forms: Sides<ReadonlySet<Form>>,
): Side | undefined {
  const isText = (side: Side): boolean => forms[side].size === 1 && forms[side].has("string");
  const isInteger = (type: ValueType): boolean => type.kind === "number" && type.integer;
  if (isInteger(older) && isText(later)) return earlier;
  return isInteger(newer) && isText(earlier) ? later : undefined;
}

/**
 * Returns whether every value of one type is a value of the other type; `false` if this is
 * uncertain.
 */
export function isWithin(
  from: ValueType,
  to: ValueType,
  shapes: readonly [Shapes, Shapes],
): boolean {
  const [ownForms, otherForms] = [formsOf(from, shapes[earlier]), formsOf(to, shapes[later])];
  if (!otherForms.has("any") && [...ownForms].some((form) => !otherForms.has(form))) return false;
  return shapes[earlier].alternatives(from).every((type) => {
    const limits = limitsOf(type);
    return shapes[later].alternatives(to).some((wider) => {
      const given = limitsOf(wider);
      return given === "" || given === limits || isIncluded(type, wider);
    });
  });
}

function isIncluded(from: ValueType, to: ValueType): boolean {
  if (from.kind !== "literal" || to.kind !== "literal") return false;
  return from.values.every((value) => to.values.includes(value));
}

/**
 * Returns the constraints of a type in addition to the form of its values; empty if it has no
 * constraints.
 */
function limitsOf(type: ValueType): string {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return /^(?:string|bool|double)$/.test(type.scalar) ? "" : type.scalar;
    case "wellKnown":
      return /^(?:Struct|Value|ListValue|NullValue)$/.test(type.wellKnown) ? "" : type.wellKnown;
    case "map":
      return type.value.kind === "any" ? "" : JSON.stringify(type);
    case "any":
    case "boolean":
    case "null":
      return "";
    case "string":
    case "number": {
      const { kind, ...limits } = type;
      return JSON.stringify(limits) === (kind === "string" ? "{}" : '{"integer":false}')
        ? ""
        : JSON.stringify(limits);
    }
    default:
      return JSON.stringify(type);
  }
}

/** Returns a description of a type's values for a message. */
export function phrase(type: ValueType): string {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return type.scalar === "bytes" ? "base64" : type.scalar;
    case "wellKnown":
      return `a ${type.wellKnown}`;
    case "literal":
      return type.values.map((value) => JSON.stringify(value)).join(", ");
    case "number":
      return type.integer ? "integers" : "other numbers";
    case "anyOf":
    case "oneOf":
      return type.members.map((member) => phrase(member)).join(", ");
    default:
      return "other values";
  }
}

/**
 * Checks whether types of two versions have the same values, regardless of the names of nested
 * types.
 */
export class Sameness {
  readonly #shapes: readonly [Shapes, Shapes];
  readonly #known = new Map<string, boolean>();

  constructor(shapes: readonly [Shapes, Shapes]) {
    this.#shapes = shapes;
  }

  /** Returns whether two types have the same values. */
  of(from: ValueType, to: ValueType): boolean {
    const [older, newer] = [this.#shapes[earlier].resolve(from), this.#shapes[later].resolve(to)];
    if (older.kind === "list" && newer.kind === "list")
      return older.minItems === newer.minItems && this.of(older.element, newer.element);
    if (older.kind === "map" && newer.kind === "map")
      return older.key === newer.key && this.of(older.value, newer.value);
    if ("members" in older && "members" in newer && older.kind === newer.kind)
      return this.#members(older.members, newer.members);
    if (!("name" in older) || !("name" in newer))
      return JSON.stringify(older) === JSON.stringify(newer);
    const key = `${older.name} ${newer.name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Assume that the types are the same while their parts are compared, because a type may refer
    // to itself.
    this.#known.set(key, true);
    const found = this.#named(older.name, newer.name);
    // Results that depend on a refuted assumption are also invalid.
    if (!found) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  #named(oldName: string, newName: string): boolean {
    const [older, newer] = [this.#shapes[earlier].find(oldName), this.#shapes[later].find(newName)];
    if (older?.kind === "message" && newer?.kind === "message") {
      const isKept = (field: FieldDef): boolean =>
        newer.fields.some((to) => to.name === field.name && this.#fields(field, to));
      const oneofs = [older, newer].map((type) =>
        JSON.stringify(type.oneofs.map(({ members, required }) => [members, required])),
      );
      return (
        older.fields.length === newer.fields.length &&
        oneofs[0] === oneofs[1] &&
        older.fields.every(isKept)
      );
    }
    if (older?.kind === "enum" && newer?.kind === "enum") {
      const [names, others] = [older, newer].map(({ values }) =>
        values.map(({ name }) => name).sort(),
      );
      return JSON.stringify(names) === JSON.stringify(others);
    }
    return (
      older?.kind === "union" &&
      newer?.kind === "union" &&
      this.#members(older.members, newer.members)
    );
  }

  #members(from: readonly ValueType[], to: readonly ValueType[]): boolean {
    return (
      from.length === to.length && from.every((type, index) => this.of(type, to[index] ?? type))
    );
  }

  #fields(from: FieldDef, to: FieldDef): boolean {
    return (
      from.presence === to.presence && from.nonEmpty === to.nonEmpty && this.of(from.type, to.type)
    );
  }
}

/**
 * Returns the zero value of a type, which is used for a required value that the other version does
 * not have. The zero value of an object contains the zero values of its required members. `valueOf`
 * can override the zero value of an enum.
 */
export function zeroOf(
  type: ValueType,
  shapes: Shapes,
  valueOf?: (name: string) => string | undefined,
): unknown {
  const [first = type] = shapes.alternatives(type);
  if (first.kind === "enum") {
    const found = shapes.find(first.name);
    return valueOf?.(first.name) ?? (found?.kind === "enum" ? found.values[0]?.name : undefined);
  }
  if (first.kind === "literal") return first.values[0];
  const [form = "any"] = formsOfOne(first, shapes);
  const message = shapes.message(first);
  if (message === undefined) return zeros[form];
  const required = message.fields.filter(({ presence }) => presence === "required");
  return Object.fromEntries(
    required.map(({ name, type: inner }) => [name, zeroOf(inner, shapes, valueOf)]),
  );
}

const zeros: Readonly<Record<Form, unknown>> = {
  any: undefined,
  string: "",
  number: 0,
  boolean: false,
  null: null,
  list: [],
  object: {},
};
