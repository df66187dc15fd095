import type { LiteralType, NumberType, StringType, ValueType } from "../../protocol/model/types.js";
import type { JsonScalar } from "./json.js";
import {
  allTypes,
  commonTypes,
  type JsonType,
  type JsonTypes,
  typeOfScalar,
  unitedTypes,
} from "./json-types.js";
import { defined } from "../../../support/values.js";

/** Facts about named types that are known before the types are built. */
export interface NamedFacts {
  readonly typesOf: (name: string) => JsonTypes;
  /** Returns the values of an enum or of a literal; `undefined` for other types. */
  readonly constantsOf: (name: string) => readonly JsonScalar[] | undefined;
}

/**
 * The intersection of two types; `nothing` if no value matches both types, `undefined` if only
 * `allOf` can express the intersection.
 */
export type Intersection = ValueType | "nothing" | undefined;

/** Intersects two types if the result is a simple type. */
export function intersect(left: ValueType, right: ValueType, facts: NamedFacts): Intersection {
  if (left.kind === "any" || isSame(left, right)) return right;
  if (right.kind === "any" || left.kind === "never") return left;
  if (right.kind === "never") return right;
  const constants = constantsIn(left, facts);
  if (constants !== undefined) return withConstants(left, constants, right, facts);
  if (constantsIn(right, facts) !== undefined) return intersect(right, left, facts);
  if (isDisjoint(left, right, facts)) return "nothing";
  if (left.kind === "string" && right.kind === "string") return commonString(left, right);
  if (left.kind === "number" && right.kind === "number") return commonNumber(left, right);
  return undefined;
}

/** Returns whether two types are structurally the same. */
export function isSame(left: ValueType, right: ValueType): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/**
 * Returns whether a constant is valid for a type of strings, numbers, booleans or null, including
 * the limits of the type.
 */
export function allows(type: ValueType, value: JsonScalar): boolean {
  switch (type.kind) {
    case "string":
      return typeof value === "string" && allowsString(type, value);
    case "number":
      return typeof value === "number" && allowsNumber(type, value);
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    default:
      return false;
  }
}

/** Returns whether the limits of a type exclude every value. */
export function isVoid(type: ValueType): boolean {
  if (type.kind === "string") return (type.minLength ?? 0) > (type.maxLength ?? Infinity);
  if (type.kind === "list") return (type.minItems ?? 0) > (type.maxItems ?? Infinity);
  if (type.kind !== "number") return false;
  const low = Math.max(type.minimum ?? -Infinity, type.exclusiveMinimum ?? -Infinity);
  const high = Math.min(type.maximum ?? Infinity, type.exclusiveMaximum ?? Infinity);
  return (
    low > high ||
    (low === high && (type.exclusiveMinimum === low || type.exclusiveMaximum === high))
  );
}

/** Returns a short description of a type for messages. */
export function describe(type: ValueType): string {
  switch (type.kind) {
    case "any":
      return "anything";
    case "never":
      return "nothing";
    case "string":
      return withLimits("a string", [type.minLength, type.maxLength]);
    case "number":
      return withLimits(type.integer ? "an integer" : "a number", [
        type.minimum ?? type.exclusiveMinimum,
        type.maximum ?? type.exclusiveMaximum,
      ]);
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "literal":
      return `the constant ${type.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "list":
      return "a list";
    case "map":
      return "an object";
    case "message":
    case "enum":
    case "union":
    case "alias":
      return `"${type.name}"`;
    case "anyOf":
    case "oneOf":
      return type.members.map(describe).join(" or ");
    default:
      return "a combination of types";
  }
}

function withLimits(what: string, [from, to]: readonly (number | undefined)[]): string {
  return (
    what + (from === undefined ? "" : ` from ${from}`) + (to === undefined ? "" : ` up to ${to}`)
  );
}

function withConstants(
  left: ValueType,
  constants: readonly JsonScalar[],
  right: ValueType,
  facts: NamedFacts,
): Intersection {
  const others = constantsIn(right, facts);
  const isPlain = ["string", "number", "boolean", "null"].includes(right.kind);
  if (others === undefined && !isPlain)
    return isDisjoint(left, right, facts) ? "nothing" : undefined;
  const values = constants.filter((value) =>
    others ? others.includes(value) : allows(right, value),
  );
  if (values.length === 0) return "nothing";
  if (values.length === constants.length) return left;
  return values.length === others?.length ? right : { kind: "literal", values };
}

function constantsIn(type: ValueType, facts: NamedFacts): LiteralType["values"] | undefined {
  if (type.kind === "literal") return type.values;
  return type.kind === "enum" || type.kind === "alias" ? facts.constantsOf(type.name) : undefined;
}

/** Returns whether two types have no JSON type in common, so that no value is valid for both. */
function isDisjoint(left: ValueType, right: ValueType, facts: NamedFacts): boolean {
  if (isUnion(right))
    return right.members.every((member) => intersect(left, member, facts) === "nothing");
  if (isUnion(left)) return isDisjoint(right, left, facts);
  return commonTypes(jsonTypesOf(left, facts), jsonTypesOf(right, facts)).size === 0;
}

function isUnion(
  type: ValueType,
): type is Extract<ValueType, { kind: "anyOf" | "oneOf" | "allOf" }> {
  return type.kind === "anyOf" || type.kind === "oneOf";
}

function jsonTypesOf(type: ValueType, facts: NamedFacts): JsonTypes {
  const only = (name: JsonType): JsonTypes => new Set([name]);
  switch (type.kind) {
    case "never":
      return new Set();
    case "string":
      return only("string");
    case "number":
      return only(type.integer ? "integer" : "number");
    case "boolean":
    case "null":
      return only(type.kind);
    case "list":
      return only("array");
    case "map":
      return only("object");
    case "literal":
      return unitedTypes([new Set(type.values.map(typeOfScalar))]);
    case "message":
    case "enum":
    case "union":
    case "alias":
      return facts.typesOf(type.name);
    case "anyOf":
    case "oneOf":
      return unitedTypes(type.members.map((member) => jsonTypesOf(member, facts)));
    case "allOf":
      return type.members.map((member) => jsonTypesOf(member, facts)).reduce(commonTypes, allTypes);
    default:
      return allTypes;
  }
}

function commonString(left: StringType, right: StringType): Intersection {
  const patterns = new Set([left, right].flatMap(({ pattern }) => pattern ?? []));
  if (patterns.size > 1) return undefined;
  const [pattern] = patterns;
  const minLength = highest(left.minLength, right.minLength);
  const maxLength = lowest(left.maxLength, right.maxLength);
  const common: StringType = defined({ kind: "string", minLength, maxLength, pattern });
  return isVoid(common) ? "nothing" : common;
}

function commonNumber(left: NumberType, right: NumberType): Intersection {
  const steps = new Set([left, right].flatMap(({ multipleOf }) => multipleOf ?? []));
  if (steps.size > 1) return undefined;
  const [multipleOf] = steps;
  const minimum = highest(left.minimum, right.minimum);
  const maximum = lowest(left.maximum, right.maximum);
  const exclusiveMinimum = highest(left.exclusiveMinimum, right.exclusiveMinimum);
  const exclusiveMaximum = lowest(left.exclusiveMaximum, right.exclusiveMaximum);
  const common: NumberType = defined({
    kind: "number",
    integer: left.integer || right.integer,
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
    multipleOf,
  });
  return isVoid(common) ? "nothing" : common;
}

function highest(...limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length > 0 ? Math.max(...given) : undefined;
}

function lowest(...limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}

function allowsString(
  { minLength = 0, maxLength = Infinity, pattern }: StringType,
  value: string,
): boolean {
  const length = Array.from(value).length;
  const matches = pattern === undefined || new RegExp(pattern, "u").test(value);
  return length >= minLength && length <= maxLength && matches;
}

function allowsNumber(type: NumberType, value: number): boolean {
  const isMultiple = type.multipleOf === undefined || Number.isInteger(value / type.multipleOf);
  const isAbove =
    value >= (type.minimum ?? -Infinity) && value > (type.exclusiveMinimum ?? -Infinity);
  const isBelow =
    value <= (type.maximum ?? Infinity) && value < (type.exclusiveMaximum ?? Infinity);
  return isMultiple && isAbove && isBelow && (!type.integer || Number.isInteger(value));
}
