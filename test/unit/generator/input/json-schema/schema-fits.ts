import { isDeepStrictEqual } from "node:util";
import type { SchemaParts } from "../../../../../generator/protocol/model/schema-parts.js";
import type {
  ListType,
  MessageDef,
  NumberType,
  StringType,
  TypeDef,
  ValueType,
} from "../../../../../generator/protocol/model/types.js";
import { isRecord } from "../../../../../support/values.js";
import { typeOf } from "./schema-reading.js";

/**
 * Tells whether a value fits a type, by what the comments on the types of the protocol say and
 * nothing else.
 */
export function fits(parts: SchemaParts, name: string, value: unknown): boolean {
  return fitsDefinition(parts, typeOf(parts, name), value);
}

function fitsDefinition(parts: SchemaParts, type: TypeDef, value: unknown): boolean {
  switch (type.kind) {
    case "message":
      return isRecord(value) && fitsMessage(parts, type, value);
    case "enum":
      return type.values.some(({ name }) => name === value);
    case "alias":
      return fitsValue(parts, type.type, value);
    case "union": {
      const fitting = type.members.filter((member) => fitsValue(parts, member, value)).length;
      return type.exclusive ? fitting === 1 : fitting > 0;
    }
  }
}

function fitsValue(parts: SchemaParts, type: ValueType, value: unknown): boolean {
  const fit = (inner: ValueType, item: unknown): boolean => fitsValue(parts, inner, item);
  switch (type.kind) {
    case "any":
      return true;
    case "never":
      return false;
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "string":
      return typeof value === "string" && fitsText(type, value);
    case "number":
      return typeof value === "number" && fitsNumber(type, value);
    case "literal":
      return type.values.some((constant) => constant === value);
    case "list":
      return (
        Array.isArray(value) &&
        fitsList(type, value) &&
        value.every((item) => fit(type.element, item))
      );
    case "map":
      return isRecord(value) && Object.values(value).every((item) => fit(type.value, item));
    case "anyOf":
      return type.members.some((member) => fit(member, value));
    case "oneOf":
      return type.members.filter((member) => fit(member, value)).length === 1;
    case "allOf":
      return type.members.every((member) => fit(member, value));
    case "not":
      return !fit(type.type, value);
    case "if":
      return fit(type.test, value) ? fit(type.then, value) : fit(type.otherwise, value);
    case "message":
    case "enum":
    case "union":
    case "alias": {
      const named = typeOf(parts, type.name);
      if (named.kind !== type.kind) throw new Error(`${type.name} is no ${type.kind}`);
      return fitsDefinition(parts, named, value);
    }
    default:
      throw new Error(`A schema has no ${type.kind}`);
  }
}

function fitsMessage(
  parts: SchemaParts,
  { fields, rest }: MessageDef,
  value: Readonly<Record<string, unknown>>,
): boolean {
  const keys = Object.keys(value);
  const areFieldsSound = fields.every(({ name, type, presence }) =>
    keys.includes(name) ? fitsValue(parts, type, value[name]) : presence !== "required",
  );
  if (rest === undefined || !areFieldsSound) return areFieldsSound;
  const { patterns, others, names, minProperties = 0, maxProperties = Infinity } = rest;
  if (keys.length < minProperties || keys.length > maxProperties) return false;
  return keys.every((key) => {
    const matching = patterns.filter(({ pattern }) => new RegExp(pattern, "u").test(key));
    const isOther = matching.length === 0 && !fields.some(({ name }) => name === key);
    const isNameSound = names === undefined || fitsValue(parts, names, key);
    const isOtherSound = !isOther || others === undefined || fitsValue(parts, others, value[key]);
    return (
      isNameSound &&
      isOtherSound &&
      matching.every(({ type }) => fitsValue(parts, type, value[key]))
    );
  });
}

function fitsList(
  { minItems = 0, maxItems = Infinity, unique = false }: ListType,
  value: readonly unknown[],
) {
  const isUnique = value.every(
    (item, index) => value.findIndex((other) => isDeepStrictEqual(item, other)) === index,
  );
  return value.length >= minItems && value.length <= maxItems && (!unique || isUnique);
}

function fitsText(
  { minLength = 0, maxLength = Infinity, pattern = "" }: StringType,
  value: string,
) {
  const length = Array.from(value).length;
  return length >= minLength && length <= maxLength && new RegExp(pattern, "u").test(value);
}

function fitsNumber(type: NumberType, value: number) {
  const isAbove =
    value >= (type.minimum ?? -Infinity) && value > (type.exclusiveMinimum ?? -Infinity);
  const isBelow =
    value <= (type.maximum ?? Infinity) && value < (type.exclusiveMaximum ?? Infinity);
  const isStep = type.multipleOf === undefined || Number.isInteger(value / type.multipleOf);
  return isAbove && isBelow && isStep && (!type.integer || Number.isInteger(value));
}
