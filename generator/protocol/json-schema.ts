import type {
  EnumDef,
  FieldDef,
  MessageDef,
  OneofDef,
  ScalarName,
  TypeDef,
  ValueType,
  WellKnownName,
} from "./types.js";

/** A JSON Schema (draft-07), as far as the derived schemas use it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly format?: string;
  readonly contentEncoding?: "base64";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
}

/** The schema that accepts nothing: a property that has it must not be there. */
export const nothing: JsonSchema = { not: {} };

/** Derives the JSON Schema of a type: its canonical JSON, with other types as `#/definitions/Name`. */
export function schemaOf(type: TypeDef): JsonSchema {
  return type.kind === "enum" ? enumSchema(type) : messageSchema(type);
}

/** Derives the schema of each alternative of a oneof; none of them may hold the member of another. */
export function alternativesOf(message: MessageDef, oneof: OneofDef): JsonSchema[] {
  const members = message.fields.filter((field) => field.oneof === oneof.name);
  const excluded = (chosen?: FieldDef): Record<string, JsonSchema> =>
    Object.fromEntries(members.map((field) => [field.name, field === chosen ? fieldSchema(field) : nothing]));
  const alternatives = members.map((field): JsonSchema => ({
    type: "object",
    properties: excluded(field),
    required: [field.name],
  }));
  return oneof.required ? alternatives : [...alternatives, { type: "object", properties: excluded() }];
}

/** Derives the schema of the fields of a message that belong to no oneof. */
export function plainSchema(message: MessageDef): JsonSchema {
  const fields = message.fields.filter((field) => field.oneof === undefined);
  const required = fields.filter((field) => field.presence === "required").map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
  };
}

function messageSchema(message: MessageDef): JsonSchema {
  const about = describe(message);
  const plain = plainSchema(message);
  if (message.oneofs.length === 0) return { ...about, ...plain };
  return { ...about, allOf: [plain, ...message.oneofs.map((oneof) => ({ oneOf: alternativesOf(message, oneof) }))] };
}

function enumSchema(type: EnumDef): JsonSchema {
  return { ...describe(type), type: "string", enum: type.values.map(({ name }) => name) };
}

function fieldSchema(field: FieldDef): JsonSchema {
  const about = describe(field);
  const schema = valueSchema(field.type);
  if (schema.$ref !== undefined) return Object.keys(about).length === 0 ? schema : { ...about, allOf: [schema] };
  return { ...about, ...schema, ...(field.nonEmpty && { minItems: 1 }) };
}

function describe({ docs, deprecated }: { readonly docs: string; readonly deprecated: boolean }): JsonSchema {
  return { ...(docs !== "" && { description: docs }), ...(deprecated && { deprecated }) };
}

/** Derives the schema of a value. */
export function valueSchema(type: ValueType): JsonSchema {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return scalarSchema(type.scalar);
    case "wellKnown":
      return wellKnownSchema(type.wellKnown);
    case "message":
    case "enum":
      return { $ref: `#/definitions/${type.name}` };
    case "list":
      return { type: "array", items: valueSchema(type.element) };
    case "map":
      return { type: "object", additionalProperties: valueSchema(type.value), ...keySchema(type.key) };
  }
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
        pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
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
      return { anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }] };
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
        properties: { "@type": { type: "string" } },
        required: ["@type"],
        additionalProperties: {},
      };
    case "ListValue":
      return { type: "array" };
    case "NullValue":
      return { type: "null" };
    case "Value":
      return {};
  }
}

function keySchema(key: ScalarName): JsonSchema {
  if (key === "string") return {};
  if (key === "bool") return { propertyNames: { enum: ["true", "false"] } };
  return { propertyNames: { pattern: key.startsWith("u") || key.startsWith("f") ? unsignedDecimal : decimal } };
}
