import { pascalCase } from "../../support/names.js";
import type { ScalarName, WellKnownName } from "../protocol/model/types.js";

/** The types in `runtime/schema/types` for scalars. */
export const scalarTypes = {
  double: "double",
  float: "float",
  int32: "int32",
  sint32: "int32",
  sfixed32: "int32",
  uint32: "uint32",
  fixed32: "uint32",
  int64: "int64",
  sint64: "int64",
  sfixed64: "int64",
  uint64: "uint64",
  fixed64: "uint64",
  bool: "boolean",
  string: "string",
  bytes: "bytes",
} as const satisfies Readonly<Record<ScalarName, string>>;

/**
 * The types in `runtime/schema/types` for the well-known types. They do not specify the messages
 * that an Any may contain.
 */
export const wellKnownTypes = {
  Timestamp: "timestamp",
  Duration: "duration",
  FieldMask: "fieldMask",
  Struct: "struct",
  ListValue: "listValue",
  Value: "value",
  NullValue: "nullValue",
  Empty: "empty",
} as const satisfies Readonly<Record<Exclude<WellKnownName, "Any">, string>>;

/** Returns the function of `runtime/schema/predicates` that accepts a scalar. */
export function scalarPredicate(scalar: ScalarName): string {
  return scalar === "bytes" ? "isBase64" : `is${pascalCase(scalarTypes[scalar])}`;
}

/** The functions of `runtime/schema/predicates` that accept the well-known types. */
export const wellKnownPredicates = {
  Timestamp: "isTimestamp",
  Duration: "isDuration",
  FieldMask: "isFieldMask",
  Struct: "isJsonObject",
  ListValue: "isJsonArray",
  Value: "isJsonValue",
  NullValue: "isNull",
  Empty: "isObject",
  Any: "isAny",
} as const satisfies Readonly<Record<WellKnownName, string>>;

/** Returns the function of `runtime/schema/predicates` that accepts the keys of a map. */
export function keyPredicate(key: ScalarName): string {
  // A key is a string. For 64 bits, values are strings, too.
  const isText = key === "bool" || key.endsWith("32");
  return isText ? `${scalarPredicate(key)}Text` : scalarPredicate(key);
}
