import type {
  ScalarName,
  ValueType,
  WellKnownName,
  WireFieldDef,
} from "../../protocol/model/types.js";

const varint = 0;
const fixed64 = 1;
/** Wire type of length-delimited values: strings, bytes, messages, packed lists. */
export const delimited = 2;
const fixed32 = 5;

/** Returns the wire type of a scalar. */
export function wireTypeOf(scalar: ScalarName): number {
  if (isText(scalar)) return delimited;
  if (scalar === "double" || scalar.endsWith("fixed64")) return fixed64;
  return scalar === "float" || scalar.endsWith("fixed32") ? fixed32 : varint;
}

/** Returns the wire type of a value. */
export function wireTypeOfValue(type: ValueType): number {
  if (type.kind === "scalar") return wireTypeOf(type.scalar);
  return type.kind === "enum" || isNull(type) ? varint : delimited;
}

/** Returns the tag of a field: its number and wire type combined into one number. */
export function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

/** Returns whether lists of a type can be packed. */
export function isPackable(type: ValueType): boolean {
  return wireTypeOfValue(type) !== delimited;
}

/** Returns whether null is the only value of a type. */
export function isNull(type: ValueType): boolean {
  return type.kind === "wellKnown" && type.wellKnown === "NullValue";
}

/**
 * Returns whether a separate support module reads and writes a well-known type, because few
 * protocols use the type.
 */
export function hasOwnWireForm(name: WellKnownName): name is "Duration" | "FieldMask" {
  return name === "Duration" || name === "FieldMask";
}

/** Returns whether a scalar is length-delimited: a string, or bytes. */
export function isText(scalar: ScalarName): boolean {
  return scalar === "string" || scalar === "bytes";
}

/** Returns the default of a scalar, as a literal in JSON form. */
export function zeroOf(scalar: ScalarName): string {
  if (isText(scalar)) return '""';
  if (scalar === "bool") return "false";
  return scalar.endsWith("64") ? '"0"' : "0";
}

/** Returns the default of a map entry's key, which is a string in JSON. */
export function zeroKeyOf(key: ScalarName): string {
  if (key === "bool") return "false";
  return key === "string" ? "" : "0";
}

/** Returns the paths of the members of a oneof; `undefined` if the members belong to a union. */
export function memberPaths(
  fields: readonly WireFieldDef[],
  oneof: string,
): (readonly string[])[] | undefined {
  const mappings = fields.filter((field) => field.oneof === oneof).map(({ mapping }) => mapping);
  const paths = mappings.flatMap((mapping) =>
    mapping.kind === "path" && mapping.when === undefined ? [mapping.path] : [],
  );
  return paths.length < mappings.length ? undefined : paths;
}

/** Returns the element type of a list or map, at any depth. Returns any other type unchanged. */
export function innermost(type: ValueType): ValueType {
  if (type.kind === "list") return innermost(type.element);
  return type.kind === "map" ? innermost(type.value) : type;
}
