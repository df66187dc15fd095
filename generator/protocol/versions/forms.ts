import type { Shapes } from "../correlate/shape.js";
import type { FieldDef, ValueType } from "../model/types.js";
import { earlier, later } from "./sides.js";
import type { Side, Sides } from "./types.js";

type Form = "any" | "string" | "number" | "boolean" | "null" | "list" | "object";

const numbers = /^(?:double|float|(?:s?fixed|s?int|uint)32)$/;

/** Returns the JSON forms of a type's values. */
export function formsOf(type: ValueType, shapes: Shapes): ReadonlySet<Form> {
  return new Set(shapes.alternatives(type).flatMap((one) => formsOfOne(one, shapes)));
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
export function haveCommonForm(one: ReadonlySet<Form>, other: ReadonlySet<Form>): boolean {
  return one.has("any") || other.has("any") || [...one].some((form) => other.has(form));
}

/**
 * Returns the version in which a value is an integer, if the value is a string in the other
 * version.
 */
export function digitsOf(
  a: ValueType,
  b: ValueType,
  forms: Sides<ReadonlySet<Form>>,
): Side | undefined {
  const isText = (side: Side): boolean => forms[side].size === 1 && forms[side].has("string");
  const isInteger = (type: ValueType): boolean => type.kind === "number" && type.integer;
  if (isInteger(a) && isText(later)) return earlier;
  return isInteger(b) && isText(earlier) ? later : undefined;
}

/**
 * Returns whether every value of one type is a value of the other type; `false` if this is
 * uncertain.
 */
export function isWithin(
  one: ValueType,
  other: ValueType,
  shapes: readonly [Shapes, Shapes],
): boolean {
  const [ownForms, otherForms] = [formsOf(one, shapes[earlier]), formsOf(other, shapes[later])];
  if (!otherForms.has("any") && [...ownForms].some((form) => !otherForms.has(form))) return false;
  return shapes[earlier].alternatives(one).every((type) => {
    const limits = limitsOf(type);
    return shapes[later].alternatives(other).some((wider) => {
      const given = limitsOf(wider);
      return given === "" || given === limits || isIncluded(type, wider);
    });
  });
}

function isIncluded(one: ValueType, other: ValueType): boolean {
  if (one.kind !== "literal" || other.kind !== "literal") return false;
  return one.values.every((value) => other.values.includes(value));
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
      return type.members.map((one) => phrase(one)).join(", ");
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
  of(one: ValueType, other: ValueType): boolean {
    const [a, b] = [this.#shapes[earlier].resolve(one), this.#shapes[later].resolve(other)];
    if (a.kind === "list" && b.kind === "list")
      return a.minItems === b.minItems && this.of(a.element, b.element);
    if (a.kind === "map" && b.kind === "map") return a.key === b.key && this.of(a.value, b.value);
    if ("members" in a && "members" in b && a.kind === b.kind)
      return this.#members(a.members, b.members);
    if (!("name" in a) || !("name" in b)) return JSON.stringify(a) === JSON.stringify(b);
    const key = `${a.name} ${b.name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Assume that the types are the same while their parts are compared, because a type may refer
    // to itself.
    this.#known.set(key, true);
    const found = this.#named(a.name, b.name);
    // Results that depend on a refuted assumption are also invalid.
    if (!found) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  #named(one: string, other: string): boolean {
    const [a, b] = [this.#shapes[earlier].find(one), this.#shapes[later].find(other)];
    if (a?.kind === "message" && b?.kind === "message") {
      const isKept = (field: FieldDef): boolean =>
        b.fields.some((to) => to.name === field.name && this.#fields(field, to));
      const oneofs = [a, b].map((type) =>
        JSON.stringify(type.oneofs.map(({ members, required }) => [members, required])),
      );
      return (
        a.fields.length === b.fields.length && oneofs[0] === oneofs[1] && a.fields.every(isKept)
      );
    }
    if (a?.kind === "enum" && b?.kind === "enum") {
      const [names, others] = [a, b].map(({ values }) => values.map(({ name }) => name).sort());
      return JSON.stringify(names) === JSON.stringify(others);
    }
    return a?.kind === "union" && b?.kind === "union" && this.#members(a.members, b.members);
  }

  #members(one: readonly ValueType[], other: readonly ValueType[]): boolean {
    return (
      one.length === other.length && one.every((type, index) => this.of(type, other[index] ?? type))
    );
  }

  #fields(one: FieldDef, other: FieldDef): boolean {
    return (
      one.presence === other.presence &&
      one.nonEmpty === other.nonEmpty &&
      this.of(one.type, other.type)
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
  const [one = type] = shapes.alternatives(type);
  if (one.kind === "enum") {
    const found = shapes.find(one.name);
    return valueOf?.(one.name) ?? (found?.kind === "enum" ? found.values[0]?.name : undefined);
  }
  if (one.kind === "literal") return one.values[0];
  const [form = "any"] = formsOfOne(one, shapes);
  const message = shapes.message(one);
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
