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
 * The types in `runtime/schema/types` for the well-known types. They do not specify the messages that an Any may
 * contain.
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

/** The functions of `runtime/schema/predicates` that accept scalars. */
export const scalarPredicates = {
  double: "isDouble",
  float: "isFloat",
  int32: "isInt32",
  sint32: "isInt32",
  sfixed32: "isInt32",
  uint32: "isUint32",
  fixed32: "isUint32",
  int64: "isInt64",
  sint64: "isInt64",
  sfixed64: "isInt64",
  uint64: "isUint64",
  fixed64: "isUint64",
  bool: "isBoolean",
  string: "isString",
  bytes: "isBase64",
} as const satisfies Readonly<Record<ScalarName, string>>;

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
export function keyPredicate(key: ScalarName) {
  if (key === "bool") return "isBooleanText";
  if (key.endsWith("64")) return scalarPredicates[key];
  if (key.endsWith("32")) return key === "uint32" || key === "fixed32" ? "isUint32Text" : "isInt32Text";
  return "isString";
}
