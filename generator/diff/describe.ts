import type { ValueType } from "../protocol/types.js";

/** A type in a few words, for reports: `string`, `list of Part`, `Task or Message`. */
export function describeType(type: ValueType): string {
  if ("name" in type) return type.name;
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return type.scalar;
    case "wellKnown":
      return type.wellKnown;
    case "list":
      return `list of ${describeType(type.element)}${limitsOf(type)}`;
    case "map":
      return `map of ${describeType(type.value)}`;
    case "literal":
      return type.values.map((value) => JSON.stringify(value)).join(" or ");
    case "anyOf":
    case "oneOf":
      return type.members.map(describeType).join(" or ");
    case "allOf":
      return type.members.map(describeType).join(" and ");
    case "number":
      return `${type.integer ? "integer" : "number"}${limitsOf(type)}`;
    case "text":
      return `string${limitsOf(type)}`;
    case "not":
      return `anything but ${describeType(type.type)}`;
    case "if":
      return `${describeType(type.then)} or ${describeType(type.otherwise)}`;
    default:
      return type.kind;
  }
}

/** The limits of a value, as far as it has any. */
function limitsOf(type: object): string {
  const limits = Object.entries(type).filter(([key]) => !["kind", "element", "integer"].includes(key));
  return limits.length === 0 ? "" : ` (${limits.map(([key, value]) => `${key} ${String(value)}`).join(", ")})`;
}

/** What JSON has for a type, where the source says it in words of its own: `string` for a scalar of that name. */
export function jsonForm(type: ValueType, rename: (name: string) => string): string {
  if ("name" in type) return rename(type.name);
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return scalarForm(type.scalar);
    case "wellKnown":
      return wellKnownForm(type.wellKnown);
    case "text":
      return limitsOf(type) === "" ? "string" : describeType(type);
    case "number":
      return limitsOf(type) === "" ? (type.integer ? "integer" : "number") : describeType(type);
    case "list":
      return `list of ${jsonForm(type.element, rename)}${limitsOf(type)}`;
    case "map":
      return type.value.kind === "any" ? "object" : `map of ${jsonForm(type.value, rename)}`;
    case "anyOf":
    case "oneOf":
    case "allOf":
      return `${type.kind} ${type.members.map((member) => jsonForm(member, rename)).join(", ")}`;
    default:
      return describeType(type);
  }
}

function scalarForm(scalar: string): string {
  if (scalar === "string" || scalar === "bytes") return "string";
  if (scalar === "bool") return "boolean";
  if (scalar.endsWith("64")) return "string of a 64-bit integer";
  return scalar.endsWith("32") ? "integer" : "number";
}

function wellKnownForm(name: string): string {
  if (name === "Struct") return "object";
  if (name === "Value") return "any";
  return name === "Timestamp" || name === "Duration" || name === "FieldMask" ? "string" : name;
}
