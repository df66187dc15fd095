import type { TypeDef, ValueType } from "../model/types.js";

/**
 * Returns whether a type, or one of its fields, has a form that protos do not have, such as a union
 * or a list with limits.
 */
export function hasSchemaValues(type: TypeDef): boolean {
  switch (type.kind) {
    case "enum":
      return false;
    case "message":
      return type.rest !== undefined || type.fields.some((field) => isSchemaValue(field.type));
    case "union":
    case "alias":
      return true;
  }
}

function isSchemaValue(type: ValueType): boolean {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
    case "wellKnown":
    case "message":
    case "enum":
      return false;
    case "list":
      return isLimited(type) || isSchemaValue(type.element);
    case "map":
      return isSchemaValue(type.value);
    default:
      return true;
  }
}

function isLimited({ minItems, maxItems, unique }: Extract<ValueType, { kind: "list" }>): boolean {
  return minItems !== undefined || maxItems !== undefined || unique === true;
}
