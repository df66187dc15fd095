import { keySchema, protoSchema } from "./proto-schema.js";
import type {
  EnumDef,
  FieldDef,
  ListType,
  LiteralType,
  MessageDef,
  NumberType,
  OneofDef,
  RestDef,
  SchemaValueType,
  TextType,
  TypeDef,
  ValueType,
} from "./types.js";

/** A JSON Schema (draft-07), as far as the derived schemas use it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";
  readonly const?: string | number | boolean | null;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly contentEncoding?: "base64";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

/** The schema that accepts nothing: a property that has it must not be there. */
export const nothing: JsonSchema = { not: {} };

/** Derives the JSON Schema of a type: its canonical JSON, with other types as `#/definitions/Name`. */
export function schemaOf(type: TypeDef): JsonSchema {
  switch (type.kind) {
    case "enum":
      return enumSchema(type);
    case "message":
      return messageSchema(type);
    case "union":
      return { ...describe(type), [type.exclusive ? "oneOf" : "anyOf"]: type.members.map(valueSchema) };
    case "alias":
      return describeAs(describe(type), valueSchema(type.type));
  }
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
  const plain = { ...plainSchema(message), ...(message.rest && restSchema(message.rest)) };
  if (message.oneofs.length === 0) return { ...about, ...plain };
  return { ...about, allOf: [plain, ...message.oneofs.map((oneof) => ({ oneOf: alternativesOf(message, oneof) }))] };
}

function restSchema(rest: RestDef): JsonSchema {
  const { patterns, others, names, minProperties, maxProperties } = rest;
  return {
    ...(patterns.length > 0 && { patternProperties: patternSchemas(patterns) }),
    ...(others !== undefined && { additionalProperties: valueSchema(others) }),
    ...(names !== undefined && { propertyNames: valueSchema(names) }),
    ...(minProperties !== undefined && { minProperties }),
    ...(maxProperties !== undefined && { maxProperties }),
  };
}

function patternSchemas(patterns: RestDef["patterns"]): Record<string, JsonSchema> {
  return Object.fromEntries(patterns.map(({ pattern, type }) => [pattern, valueSchema(type)]));
}

function enumSchema(type: EnumDef): JsonSchema {
  return { ...describe(type), type: "string", enum: type.values.map(({ name }) => name) };
}

function fieldSchema(field: FieldDef): JsonSchema {
  const about = describe(field);
  return { ...describeAs(about, valueSchema(field.type)), ...(field.nonEmpty && { minItems: 1 }) };
}

/** Adds what is said about a value to its schema; nothing may stand beside a reference. */
function describeAs(about: JsonSchema, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return { ...about, ...schema };
  return Object.keys(about).length === 0 ? schema : { ...about, allOf: [schema] };
}

function describe({ docs, deprecated }: { readonly docs: string; readonly deprecated: boolean }): JsonSchema {
  return { ...(docs !== "" && { description: docs }), ...(deprecated && { deprecated }) };
}

/** Derives the schema of a value. */
export function valueSchema(type: ValueType): JsonSchema {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
    case "wellKnown":
      return protoSchema(type);
    case "message":
    case "enum":
    case "union":
    case "alias":
      return { $ref: `#/definitions/${type.name}` };
    case "list":
      return listSchema(type);
    case "map":
      if (type.value.kind === "any") return { type: "object" };
      return { type: "object", additionalProperties: valueSchema(type.value), ...keySchema(type.key) };
    default:
      return jsonValueSchema(type);
  }
}

function listSchema({ element, minItems, maxItems, unique }: ListType): JsonSchema {
  return {
    type: "array",
    items: valueSchema(element),
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    ...(unique === true && { uniqueItems: true }),
  };
}

function jsonValueSchema(type: SchemaValueType): JsonSchema {
  switch (type.kind) {
    case "any":
      return {};
    case "never":
      return nothing;
    case "boolean":
    case "null":
      return { type: type.kind };
    case "text":
      return { type: "string", ...textLimits(type) };
    case "number":
      return { type: type.integer ? "integer" : "number", ...numberLimits(type) };
    case "literal":
      return literalSchema(type);
    case "anyOf":
    case "oneOf":
    case "allOf":
      return { [type.kind]: type.members.map(valueSchema) };
    case "not":
      return { not: valueSchema(type.type) };
    case "if":
      return { if: valueSchema(type.test), then: valueSchema(type.then), else: valueSchema(type.otherwise) };
  }
}

function textLimits({ minLength, maxLength, pattern }: TextType): JsonSchema {
  return {
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
}

function numberLimits(type: NumberType): JsonSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = type;
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(exclusiveMinimum !== undefined && { exclusiveMinimum }),
    ...(exclusiveMaximum !== undefined && { exclusiveMaximum }),
    ...(multipleOf !== undefined && { multipleOf }),
  };
}

function literalSchema({ values }: LiteralType): JsonSchema {
  const [only] = values;
  return values.length === 1 && only !== undefined ? { const: only } : { enum: values };
}
