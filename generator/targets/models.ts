import { compile } from "json-schema-to-typescript";
import { alternativesOf, plainSchema, schemaOf, type JsonSchema } from "../protocol/json-schema.js";
import { pascalCase } from "../protocol/names.js";
import type { EnumDef, MessageDef, OneofDef, Protocol, TypeDef } from "../protocol/types.js";
import { layoutDeclaration } from "./declaration.js";
import { Imports } from "./imports.js";
import { docOf, escapeComment, keyOf, quote, type DocView } from "./text.js";
import { emptyPlan, type Target } from "./types.js";

/** Typed models: an interface for every message, a union and a const object for every enum. */
export const models: Target = {
  name: "models",
  summary: "interfaces, unions and enum constants (models.ts)",
  needs: [],
  plan: async (protocol) => {
    const imports = new Imports();
    const types = await Promise.all(protocol.types.map((type) => typeView(type, imports)));
    return { ...emptyPlan, files: [imports.plan("models.ts", "models/models", { types })], exports: ["models"] };
  },
};

/** The name of the union of a oneof's alternatives: that of the message where it has nothing else. */
function oneofTypeName(message: MessageDef, oneof: OneofDef): string {
  return isPureUnion(message) ? message.name : message.name + pascalCase(oneof.name);
}

/** The names of all types that the models declare. */
export function modelNames(protocol: Protocol): { readonly name: string; readonly fullName: string }[] {
  return protocol.types.flatMap((type) => {
    const oneofs = type.kind === "message" && !isPureUnion(type) ? type.oneofs : [];
    const names = oneofs.map((oneof) => (type.kind === "message" ? oneofTypeName(type, oneof) : ""));
    return [type.name, ...names].map((name) => ({ name, fullName: type.fullName }));
  });
}

interface TypeView {
  readonly declarations: readonly string[];
  readonly constant: ConstantView | false;
}

interface ConstantView {
  readonly name: string;
  readonly values: readonly { readonly key: string; readonly text: string; readonly docs: DocView }[];
}

async function typeView(type: TypeDef, imports: Imports): Promise<TypeView> {
  if (type.kind === "enum") {
    return {
      declarations: [await declare(type.name, withTrace(schemaOf(type), type), imports)],
      constant: constantOf(type),
    };
  }
  const declarations = messageSchemas(type).map(({ name, schema }) => declare(name, schema, imports));
  return { declarations: await Promise.all(declarations), constant: false };
}

/** The schemas of a message, as they become declarations: one for itself, and one for each union that it holds. */
function messageSchemas(message: MessageDef): { name: string; schema: JsonSchema }[] {
  const unions = message.oneofs.map((oneof) => ({ name: oneofTypeName(message, oneof), oneof }));
  const [first] = unions;
  const about = withTrace({ description: message.docs, deprecated: message.deprecated }, message);
  if (first !== undefined && isPureUnion(message)) {
    return [{ name: message.name, schema: { ...about, oneOf: alternativesOf(message, first.oneof) } }];
  }
  const plain = plainSchema(message);
  if (first === undefined) return [{ name: message.name, schema: { ...about, ...plain } }];
  const refs = unions.map(({ name }): JsonSchema => ({ $ref: `#/definitions/${name}` }));
  const alternatives = unions.map(({ name, oneof }) => ({
    name,
    schema: { description: unionDocs(message, oneof), oneOf: alternativesOf(message, oneof) },
  }));
  return [{ name: message.name, schema: { ...about, allOf: [...refs, plain] } }, ...alternatives];
}

function unionDocs(message: MessageDef, oneof: OneofDef): string {
  const what = `The alternatives of \`${oneof.name}\` in {@link ${message.name}}${oneof.required ? "" : "; all may be absent"}.`;
  return oneof.docs === "" ? what : `${what}\n\n${oneof.docs}`;
}

function withTrace(schema: JsonSchema, { fullName }: TypeDef): JsonSchema {
  const text = schema.description ?? "";
  return { ...schema, description: `${text}${text === "" ? "" : "\n\n"}@see ${fullName}` };
}

/** Tells whether a message is nothing but one choice, so that it is the union itself. */
function isPureUnion(message: MessageDef): boolean {
  return message.oneofs.length === 1 && message.fields.every((field) => field.oneof !== undefined);
}

function constantOf(type: EnumDef): ConstantView {
  const values = type.values.map(({ key, name, docs, deprecated }) => ({
    key: keyOf(key),
    text: quote(name),
    docs: docOf(docs, 2, deprecated ? ["@deprecated"] : []),
  }));
  return { name: type.name, values };
}

const compileOptions = {
  format: false,
  bannerComment: "",
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
} as const;

async function declare(name: string, schema: JsonSchema, imports: Imports): Promise<string> {
  // The library derives the name of a declaration from the title, and changes letters in it; only the text after counts.
  const text = await compile(
    Object.assign({}, project(schema, imports), { title: "Declared" }),
    "Declared",
    compileOptions,
  );
  const named = text.replace(/^(export (?:interface|type)) Declared\b/m, `$1 ${name}`);
  return layoutDeclaration(named.replaceAll(/"\uE000(\w+)"/g, "$1"));
}

const shieldMark = "\uE000";

/** Marks keys that every object has: the library asks objects that carry them for their methods of the same name. */
function shield(key: string): string {
  return key in Object.prototype ? shieldMark + key : key;
}

type Projected = Record<string, unknown>;

/** Replaces what the library would inline or widen by the name of the type that it is. */
function project(schema: JsonSchema, imports: Imports): Projected {
  const { $ref, description, allOf, oneOf, properties, deprecated, ...rest } = schema;
  const about = {
    ...(description !== undefined && { description: escapeComment(description) }),
    ...(deprecated === true && { deprecated }),
  };
  if ($ref !== undefined) return { ...about, tsType: $ref.slice("#/definitions/".length) };
  const [only] = allOf ?? [];
  if (only?.$ref !== undefined && allOf?.length === 1) return { ...about, ...project(only, imports) };
  if (allOf !== undefined)
    return { ...about, allOf: allOf.filter(saysSomething).map((part) => project(part, imports)) };
  if (oneOf !== undefined) return { ...about, oneOf: oneOf.map((part) => project(part, imports)) };
  if (schema.not !== undefined) return { tsType: "never" };
  if (properties === undefined || schema.type !== "object" || schema.additionalProperties !== undefined) {
    return {
      ...about,
      ...(rest.enum === undefined || rest.type !== "string" ? { tsType: tsTypeOfSchema(schema, imports) } : rest),
    };
  }
  if (Object.keys(properties).length === 0) return { ...about, tsType: "Record<string, never>" };
  const projected = Object.entries(properties).map(([key, value]) => [shield(key), project(value, imports)] as const);
  const required = schema.required?.map(shield) ?? [];
  return { ...about, ...rest, required, properties: Object.fromEntries(projected), additionalProperties: false };
}

function saysSomething(schema: JsonSchema): boolean {
  return schema.properties === undefined || Object.keys(schema.properties).length > 0;
}

function tsTypeOfSchema(schema: JsonSchema, imports: Imports): string {
  if (schema.$ref !== undefined) return schema.$ref.slice("#/definitions/".length);
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return schema.items === undefined
        ? `${imports.type("runtime/json", "JsonValue")}[]`
        : `${tsTypeOfSchema(schema.items, imports)}[]`;
    case "object":
      return objectType(schema, imports);
    default:
      return schema.anyOf === undefined
        ? imports.type("runtime/json", "JsonValue")
        : imports.type("runtime/types", "JsonNumber");
  }
}

function objectType(schema: JsonSchema, imports: Imports): string {
  if (schema.properties !== undefined) return imports.type("runtime/json", "AnyObject");
  if (schema.additionalProperties === undefined) return imports.type("runtime/json", "JsonObject");
  return `Record<string, ${tsTypeOfSchema(schema.additionalProperties, imports)}>`;
}
