import type { ScalarName, ValueType, WellKnownName } from "../../protocol/model/types.js";

const varint = 0;
const fixed64 = 1;
/** The wire type of what has a length: text, bytes, messages, packed lists. */
export const delimited = 2;
const fixed32 = 5;

/** The wire type of a scalar. */
export function wireTypeOf(scalar: ScalarName): number {
  if (isText(scalar)) return delimited;
  if (scalar === "double" || scalar.endsWith("fixed64")) return fixed64;
  return scalar === "float" || scalar.endsWith("fixed32") ? fixed32 : varint;
}

/** The wire type of any value. */
export function wireTypeOfValue(type: ValueType): number {
  if (type.kind === "scalar") return wireTypeOf(type.scalar);
  return type.kind === "enum" || isNull(type) ? varint : delimited;
}

/** The tag of a field: its number and wire type as one number. */
export function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

/** Returns whether a list of such values can be packed. */
export function isPackable(type: ValueType): boolean {
  return wireTypeOfValue(type) !== delimited;
}

/** Returns whether a type has no other value than null. */
export function isNull(type: ValueType): boolean {
  return type.kind === "wellKnown" && type.wellKnown === "NullValue";
}

/** Returns whether a well-known type is read and written by a support module of its own, for the few that need it. */
export function isApart(name: WellKnownName): name is "Duration" | "FieldMask" {
  return name === "Duration" || name === "FieldMask";
}

/** Returns whether JSON has the scalar as a string of any kind. */
export function isText(scalar: ScalarName): boolean {
  return scalar === "string" || scalar === "bytes";
}

/** The default of a scalar, as a literal of its JSON form. */
export function zeroOf(scalar: ScalarName): string {
  if (isText(scalar)) return '""';
  if (scalar === "bool") return "false";
  return scalar.endsWith("64") ? '"0"' : "0";
}

/** The values inside lists and maps; of anything else, itself. */
export function innermost(type: ValueType): ValueType {
  if (type.kind === "list") return innermost(type.element);
  return type.kind === "map" ? innermost(type.value) : type;
}
