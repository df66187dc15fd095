import type { ValueType } from "../protocol/model/types.js";

/**
 * Returns a short description of a type for reports: `string`, `list of Part`, `Task or Message`.
 */
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
      return `map of ${type.key === "string" ? "" : `${type.key} to `}${describeType(type.value)}`;
    case "literal":
      return type.values.map((value) => JSON.stringify(value)).join(" or ");
    case "anyOf":
    case "oneOf":
      return type.members.map(describeType).join(" or ");
    case "allOf":
      return type.members.map(describeType).join(" and ");
    case "number":
      return `${type.integer ? "integer" : "number"}${limitsOf(type)}`;
    case "string":
      return `string${limitsOf(type)}`;
    case "not":
      return `anything but ${describeType(type.type)}`;
    case "if":
      return (
        `${describeType(type.then)} or ${describeType(type.otherwise)}, as ` +
        describeType(type.test)
      );
    default:
      return type.kind;
  }
}

/** Returns the limits of a value, or an empty string. */
function limitsOf(type: object): string {
  const limits = Object.entries(type).filter(
    ([key]) => !["kind", "element", "integer"].includes(key),
  );
  return limits.length === 0
    ? ""
    : ` (${limits.map(([key, value]) => `${key} ${String(value)}`).join(", ")})`;
}
