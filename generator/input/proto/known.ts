import type { ScalarName, WellKnownName } from "../../protocol/model/types.js";

/** The scalar types, by their names in protos. */
export const scalars: ReadonlySet<string> = new Set<ScalarName>([
  "double",
  "float",
  "int32",
  "int64",
  "uint32",
  "uint64",
  "sint32",
  "sint64",
  "fixed32",
  "fixed64",
  "sfixed32",
  "sfixed64",
  "bool",
  "string",
  "bytes",
]);

/** Returns whether a type name is the name of a scalar. */
export function isScalar(name: string): name is ScalarName {
  return scalars.has(name);
}

const wellKnown: readonly WellKnownName[] = [
  "Timestamp",
  "Duration",
  "Struct",
  "Value",
  "ListValue",
  "NullValue",
  "Empty",
  "FieldMask",
  "Any",
];

const wrappers: ReadonlyMap<string, ScalarName> = new Map([
  ["DoubleValue", "double"],
  ["FloatValue", "float"],
  ["Int64Value", "int64"],
  ["UInt64Value", "uint64"],
  ["Int32Value", "int32"],
  ["UInt32Value", "uint32"],
  ["BoolValue", "bool"],
  ["StringValue", "string"],
  ["BytesValue", "bytes"],
]);

/** The names of all types in `google.protobuf` with a special form in JSON. */
export const wellKnownNames: readonly string[] = [...wellKnown, ...wrappers.keys()];

const prefix = "google.protobuf.";

/** Returns the form of a well-known type by its full name, or `undefined` for any other type. */
export function findWellKnown(fullName: string) {
  if (!fullName.startsWith(prefix)) return undefined;
  const short = fullName.slice(prefix.length);
  const scalar = wrappers.get(short);
  if (scalar !== undefined) return { kind: "wrapper", scalar } as const;
  const found = wellKnown.find((candidate) => candidate === short);
  return found === undefined ? undefined : ({ kind: "wellKnown", wellKnown: found } as const);
}

const builtInFiles =
  /^google\/(?:protobuf\/(?:any|api|descriptor|duration|empty|field_mask|source_context|struct|timestamp|type|wrappers)|api\/(?:annotations|client|field_behavior|http))\.proto$/;

/**
 * Returns whether the path is a well-known import, which may be missing if none of its messages or
 * enums are used.
 */
export function isBuiltInImport(path: string): boolean {
  return builtInFiles.test(path);
}
