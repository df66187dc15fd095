import type { ScalarName, ValueType, WellKnownName } from "../../protocol/model/types.js";
import { code } from "./markdown.js";

/** Returns the link to a type. */
export type LinkTo = (name: string) => string;

/**
 * Returns a short description of a type's JSON, with links to named types: `list of [Part](#part)`.
 */
export function describeValue(type: ValueType, linkTo: LinkTo): string {
  if ("name" in type) return linkTo(type.name);
  const describe = (inner: ValueType): string => describeValue(inner, linkTo);
  switch (type.kind) {
    case "scalar":
      return scalarForms[type.scalar];
    case "wrapper":
      return `${scalarForms[type.scalar]} or null`;
    case "wellKnown":
      return wellKnownForms[type.wellKnown];
    case "list":
      return `list of ${grouped(type.element, describe)}${limitsOf(type)}`;
    case "map":
      return `map of ${keyTextOf(type.key)}${grouped(type.value, describe)}`;
    case "literal":
      return type.values.map((value) => code(JSON.stringify(value))).join(" or ");
    case "anyOf":
    case "oneOf":
      return type.members.map(describe).join(" or ");
    case "allOf":
      return type.members.map((member) => grouped(member, describe)).join(" and ");
    case "not":
      return `anything but ${grouped(type.type, describe)}`;
    case "if":
      return (
        `${describe(type.then)} if it is ${describe(type.test)}, otherwise ` +
        describe(type.otherwise)
      );
    case "any":
      return "any JSON";
    case "never":
      return "no value";
    case "number":
      return `${type.integer ? "integer" : "number"}${limitsOf(type)}`;
    case "string":
      return `string${limitsOf(type)}`;
    default:
      return type.kind;
  }
}

/** Returns a description, in parentheses if the type has several alternatives. */
function grouped(type: ValueType, describe: (type: ValueType) => string): string {
  const isChoice = type.kind === "anyOf" || type.kind === "oneOf" || type.kind === "if";
  return isChoice || (type.kind === "literal" && type.values.length > 1)
    ? `(${describe(type)})`
    : describe(type);
}

/** Descriptions of the limits of values, in the order in which they are listed. */
const limits = {
  minItems: "at least",
  maxItems: "at most",
  unique: "without duplicates",
  minLength: "length at least",
  maxLength: "length at most",
  pattern: "pattern",
  minimum: "at least",
  maximum: "at most",
  exclusiveMinimum: "more than",
  exclusiveMaximum: "less than",
  multipleOf: "multiple of",
} as const;

/** Returns the limits of a value in parentheses, or an empty string. */
function limitsOf(type: Partial<Record<keyof typeof limits, string | number | boolean>>): string {
  const texts = Object.entries(limits).flatMap(([key, text]) => {
    const value = type[key as keyof typeof limits];
    if (value === undefined || value === false) return [];
    if (value === true) return [text];
    return [`${text} ${typeof value === "string" ? code(value) : String(value)}`];
  });
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

const scalarForms: Readonly<Record<ScalarName, string>> = {
  bool: "boolean",
  bytes: "string (base64)",
  string: "string",
  double: "number",
  float: "number (float)",
  int32: "integer (int32)",
  sint32: "integer (sint32)",
  sfixed32: "integer (sfixed32)",
  uint32: "integer (uint32)",
  fixed32: "integer (fixed32)",
  int64: "string (int64)",
  sint64: "string (sint64)",
  sfixed64: "string (sfixed64)",
  uint64: "string (uint64)",
  fixed64: "string (fixed64)",
};

const wellKnownForms: Readonly<Record<WellKnownName, string>> = {
  Any: "object with `@type`",
  Duration: "string (duration, `1.5s`)",
  Empty: "empty object",
  FieldMask: "string (field mask)",
  ListValue: "list of any JSON",
  NullValue: "null",
  Struct: "JSON object",
  Timestamp: "string (RFC 3339 timestamp)",
  Value: "any JSON",
};

/** Returns the text for the keys of a map, which is empty for strings, the usual keys. */
function keyTextOf(key: string): string {
  return key === "string" ? "" : `${key} to `;
}
