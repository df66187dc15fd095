import type { JsonSchema } from "./types.js";
import type { ProtoValueType, ScalarName, WellKnownName } from "../model/types.js";

/** Derives the schema of the canonical ProtoJSON of a protobuf value. */
export function protoSchema(type: ProtoValueType): JsonSchema {
  return type.kind === "wellKnown" ? wellKnownSchema(type.wellKnown) : scalarSchema(type.scalar);
}

const decimal = "^(0|-?[1-9][0-9]*)$";
const unsignedDecimal = "^(0|[1-9][0-9]*)$";

function scalarSchema(scalar: ScalarName): JsonSchema {
  switch (scalar) {
    case "string":
      return { type: "string" };
    case "bool":
      return { type: "boolean" };
    case "bytes":
      return {
        type: "string",
        contentEncoding: "base64",
        pattern:
          "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
      };
    case "int32":
    case "sint32":
    case "sfixed32":
      return { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 };
    case "uint32":
    case "fixed32":
      return { type: "integer", minimum: 0, maximum: 4_294_967_295 };
    case "int64":
    case "sint64":
    case "sfixed64":
      return { type: "string", format: "int64", pattern: decimal };
    case "uint64":
    case "fixed64":
      return { type: "string", format: "uint64", pattern: unsignedDecimal };
    case "float":
    case "double":
      return {
        anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }],
      };
  }
}

function wellKnownSchema(wellKnown: WellKnownName): JsonSchema {
  switch (wellKnown) {
    case "Timestamp":
      return {
        type: "string",
        format: "date-time",
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$",
      };
    case "Duration":
      return { type: "string", pattern: "^-?[0-9]{1,12}([.][0-9]{1,9})?s$" };
    case "FieldMask":
      return { type: "string", pattern: "^([A-Za-z0-9.]+(,[A-Za-z0-9.]+)*)?$" };
    case "Struct":
    case "Empty":
      return { type: "object" };
    case "Any":
      return {
        type: "object",
        properties: { "@type": { type: "string", pattern: "/[^/]+$" } },
        additionalProperties: {},
        // Accept an empty object or an object with a type.
        not: { minProperties: 1, not: { required: ["@type"] } },
      };
    case "ListValue":
      return { type: "array" };
    case "NullValue":
      return { type: "null" };
    case "Value":
      return {};
  }
}

/** Derives the schema of the keys of a map. */
export function keySchema(key: ScalarName): JsonSchema {
  if (key === "string") return {};
  if (key === "bool") return { propertyNames: { enum: ["true", "false"] } };
  return {
    propertyNames: {
      pattern: key.startsWith("u") || key.startsWith("f") ? unsignedDecimal : decimal,
    },
  };
}
