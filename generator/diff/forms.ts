import type { ScalarName, ValueType } from "../protocol/model/types.js";
import { describeType } from "./describe.js";

/** Returns the name of a type in the other version. */
export type Rename = (name: string) => string;

/**
 * Returns the form of a type in JSON. Types with the same form have the same kind of values:
 * `int32` and `uint32` have the form `integer`.
 */
export function jsonForm(type: ValueType, rename: Rename): string {
  if ("name" in type) return rename(type.name);
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return scalarForm(type.scalar);
    case "wellKnown":
      return wellKnownForm(type.wellKnown);
    case "number":
      return describeType(type);
    case "list":
      return `list of ${jsonForm(type.element, rename)}${limitsOf(type)}`;
    case "map":
      return type.value.kind === "any" && type.key === "string" ? "object" : mapForm(type, rename);
    case "anyOf":
    case "oneOf":
    case "allOf":
      return `${type.kind} ${type.members.map((member) => jsonForm(member, rename)).join(", ")}`;
    case "not":
      return `not ${jsonForm(type.type, rename)}`;
    case "if":
      return [type.test, type.then, type.otherwise]
        .map((part) => jsonForm(part, rename))
        .join(" ? ");
    default:
      return describeType(type);
  }
}

function mapForm({ key, value }: Extract<ValueType, { kind: "map" }>, rename: Rename): string {
  return `map of ${key === "string" ? "" : `${scalarForm(key)} to `}${jsonForm(value, rename)}`;
}

/** Returns the limits of a list, or an empty string. */
function limitsOf(type: ValueType): string {
  return type.kind === "list"
    ? describeType({ ...type, element: { kind: "any" } }).replace("list of any", "")
    : "";
}

function scalarForm(scalar: ScalarName): string {
  if (scalar === "string") return "string";
  if (scalar === "bytes") return "base64 string";
  if (scalar === "bool") return "boolean";
  if (scalar.endsWith("64")) return "integer in a string";
  return scalar.endsWith("32") ? "integer" : "number";
}

function wellKnownForm(name: string): string {
  if (name === "Struct") return "object";
  if (name === "Value") return "any";
  return name === "Empty" ? "empty object" : name;
}

/** Returns the form of a type in TypeScript. Every type that is a string in JSON is a `string`. */
export function sourceForm(type: ValueType, rename: Rename): string {
  if (type.kind === "string" || isStringInJson(type)) return "string";
  if (type.kind === "scalar" || type.kind === "wrapper")
    return type.scalar === "float" || type.scalar === "double"
      ? "number or string for NaN"
      : numberOr(type.scalar);
  if (type.kind === "number") return "number";
  if (type.kind === "list") return `list of ${sourceForm(type.element, rename)}`;
  return type.kind === "map" && type.value.kind !== "any"
    ? `map of ${sourceForm(type.value, rename)}`
    : jsonForm(type, rename);
}

function numberOr(scalar: ScalarName): string {
  return scalar === "bool" ? "boolean" : "number";
}

/** Returns whether the values of a protobuf type are strings in JSON. */
export function isStringInJson(type: ValueType): boolean {
  if (type.kind === "wellKnown")
    return ["Timestamp", "Duration", "FieldMask"].includes(type.wellKnown);
  const scalar = type.kind === "scalar" || type.kind === "wrapper" ? type.scalar : "bool";
  return scalar === "string" || scalar === "bytes" || scalar.endsWith("64");
}
