import type { ScalarName, WellKnownName } from "../../protocol/model/types.js";

/** The scalar types by their name in protos. */
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

/** Returns whether a type name is that of a scalar. */
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

const prefix = "google.protobuf.";

/** Finds a well-known type by its full name, with or without a leading dot. */
export function findWellKnown(fullName: string) {
  const name = fullName.replace(/^\./, "");
  if (!name.startsWith(prefix)) return undefined;
  const short = name.slice(prefix.length);
  const scalar = wrappers.get(short);
  if (scalar !== undefined) return { kind: "wrapper", scalar } as const;
  const found = wellKnown.find((candidate) => candidate === short);
  return found === undefined ? undefined : ({ kind: "wellKnown", wellKnown: found } as const);
}

const builtInFiles =
  /^google\/(?:protobuf\/(?:any|api|descriptor|duration|empty|field_mask|source_context|struct|timestamp|type|wrappers)|api\/(?:annotations|client|field_behavior|http))\.proto$/;

/** Returns whether an import only has options or well-known types, which need no file. */
export function isBuiltInImport(path: string): boolean {
  return builtInFiles.test(path);
}
