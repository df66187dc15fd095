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
  StringType,
  TypeDef,
  ValueType,
} from "../model/types.js";
import type { JsonSchema, SchemaDialect } from "./types.js";
import { defined } from "../../../support/values.js";

/** The schema that accepts no value. A property with this schema must be absent. */
export const nothing: JsonSchema = { not: {} };

/** The dialect draft-07, with references to types as `#/definitions/Name`. */
export const draft07: SchemaDialect = {
  refTo: (name) => `#/definitions/${name}`,
  allowsRefSiblings: false,
  absent: nothing,
};

/**
 * Derives the JSON Schema of a type. The schema describes the canonical JSON, with references to
 * other types.
 */
export function schemaOf(type: TypeDef, dialect = draft07): JsonSchema {
  switch (type.kind) {
    case "enum":
      return enumSchema(type);
    case "message":
      return messageSchema(type, dialect);
    case "union":
      return {
        ...describe(type),
        [type.exclusive ? "oneOf" : "anyOf"]: valueSchemas(type.members, dialect),
      };
    case "alias":
      return annotated(describe(type), valueSchema(type.type, dialect), dialect);
  }
}

/**
 * Derives a schema for each member of a oneof. Each schema excludes all other members. If the oneof
 * is optional, an additional schema excludes all members.
 */
export function alternativesOf(
  message: MessageDef,
  oneof: OneofDef,
  dialect = draft07,
): JsonSchema[] {
  const members = message.fields.filter((field) => field.oneof === oneof.name);
  const excluded = (chosen?: FieldDef): Record<string, JsonSchema | false> =>
    Object.fromEntries(
      members.map((field) => [
        field.name,
        field === chosen ? fieldSchema(field, dialect) : dialect.absent,
      ]),
    );
  const alternatives = members.map((field): JsonSchema => ({
    type: "object",
    properties: excluded(field),
    required: [field.name],
  }));
  return oneof.required
    ? alternatives
    : [...alternatives, { type: "object", properties: excluded() }];
}

/** Derives the schema for the fields of a message that do not belong to a oneof. */
export function plainSchema(message: MessageDef, dialect = draft07): JsonSchema {
  const fields = message.fields.filter((field) => field.oneof === undefined);
  const required = fields.filter((field) => field.presence === "required").map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map((field) => [field.name, fieldSchema(field, dialect)]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function messageSchema(message: MessageDef, dialect: SchemaDialect): JsonSchema {
  const about = describe(message);
  const plain = {
    ...plainSchema(message, dialect),
    ...(message.rest && restSchema(message.rest, dialect)),
  };
  if (message.oneofs.length === 0) return { ...about, ...plain };
  const [choice = {}, ...others] = message.oneofs.map((oneof) => ({
    oneOf: alternativesOf(message, oneof, dialect),
  }));
  const hasOthers =
    Object.keys(plain.properties ?? {}).length > 0 ||
    message.rest !== undefined ||
    others.length > 0;
  return hasOthers
    ? { ...about, allOf: [plain, choice, ...others] }
    : { ...about, type: "object", ...choice };
}

function restSchema(rest: RestDef, dialect: SchemaDialect): JsonSchema {
  const { patterns, others, names, minProperties, maxProperties } = rest;
  return defined({
    ...(patterns.length > 0 && { patternProperties: patternSchemas(patterns, dialect) }),
    ...(others !== undefined && { additionalProperties: valueSchema(others, dialect) }),
    ...(names !== undefined && { propertyNames: valueSchema(names, dialect) }),
    minProperties,
    maxProperties,
  });
}

function patternSchemas(
  patterns: RestDef["patterns"],
  dialect: SchemaDialect,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    patterns.map(({ pattern, type }) => [pattern, valueSchema(type, dialect)]),
  );
}

function enumSchema(type: EnumDef): JsonSchema {
  return { ...describe(type), type: "string", enum: type.values.map(({ name }) => name) };
}

/** Derives the schema of a field. */
export function fieldSchema(field: FieldDef, dialect = draft07): JsonSchema {
  const schema = annotated(describe(field), valueSchema(field.type, dialect), dialect);
  return { ...schema, ...(field.nonEmpty && { minItems: 1 }) };
}

/** Adds the doc comment and the deprecation of a value to its schema. */
export function annotated(about: JsonSchema, schema: JsonSchema, dialect = draft07): JsonSchema {
  if (schema.$ref === undefined || dialect.allowsRefSiblings) return { ...about, ...schema };
  return Object.keys(about).length === 0 ? schema : { ...about, allOf: [schema] };
}

function describe({
  docs,
  deprecated,
}: {
  readonly docs: string;
  readonly deprecated: boolean;
}): JsonSchema {
  return { ...(docs !== "" && { description: docs }), ...(deprecated && { deprecated }) };
}

/** Derives the schema of a value. */
export function valueSchema(type: ValueType, dialect = draft07): JsonSchema {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
    case "wellKnown":
      return protoSchema(type);
    case "message":
    case "enum":
    case "union":
    case "alias":
      return { $ref: dialect.refTo(type.name) };
    case "list":
      return listSchema(type, dialect);
    case "map":
      if (type.value.kind === "any") return { type: "object" };
      return {
        type: "object",
        additionalProperties: valueSchema(type.value, dialect),
        ...keySchema(type.key),
      };
    default:
      return jsonValueSchema(type, dialect);
  }
}

function valueSchemas(types: readonly ValueType[], dialect: SchemaDialect): JsonSchema[] {
  return types.map((type) => valueSchema(type, dialect));
}

function listSchema(
  { element, minItems, maxItems, unique }: ListType,
  dialect: SchemaDialect,
): JsonSchema {
  return defined({
    type: "array",
    items: valueSchema(element, dialect),
    minItems,
    maxItems,
    ...(unique === true && { uniqueItems: true }),
  });
}

function jsonValueSchema(type: SchemaValueType, dialect: SchemaDialect): JsonSchema {
  switch (type.kind) {
    case "any":
      return {};
    case "never":
      return nothing;
    case "boolean":
    case "null":
      return { type: type.kind };
    case "string":
      return { type: "string", ...stringLimits(type) };
    case "number":
      return { type: type.integer ? "integer" : "number", ...numberLimits(type) };
    case "literal":
      return literalSchema(type);
    case "anyOf":
    case "oneOf":
    case "allOf":
      return { [type.kind]: valueSchemas(type.members, dialect) };
    case "not":
      return { not: valueSchema(type.type, dialect) };
    case "if": {
      const [test, then, otherwise] = [type.test, type.then, type.otherwise].map((part) =>
        valueSchema(part, dialect),
      );
      return { if: test ?? {}, then: then ?? {}, else: otherwise ?? {} };
    }
  }
}

function stringLimits({ minLength, maxLength, pattern }: StringType): JsonSchema {
  return defined({ minLength, maxLength, pattern });
}

function numberLimits(type: NumberType): JsonSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = type;
  return defined({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf });
}

function literalSchema({ values }: LiteralType): JsonSchema {
  const [only] = values;
  return values.length === 1 && only !== undefined ? { const: only } : { enum: values };
}
