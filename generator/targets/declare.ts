import { compile } from "json-schema-to-typescript";
import { nothing, type JsonSchema } from "../protocol/json-schema.js";
import { layoutDeclaration } from "./declaration.js";
import { escapeComment } from "./text.js";
import { nameOf, type TypeWriter } from "./type-text.js";

const compileOptions = {
  format: false,
  bannerComment: "",
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
} as const;

/**
 * Declares the type that a schema describes: an interface for an object with fields, else an alias. `index` is what the
 * members of an object are that are no fields.
 */
export async function declare(name: string, schema: JsonSchema, types: TypeWriter, index?: string): Promise<string> {
  const projected = index === undefined ? project(schema, types) : projectObject(schema, types, { tsType: "unknown" });
  // The library derives the name of a declaration from the title, and changes letters in it; only the text after counts.
  const text = await compile(Object.assign({}, projected, { title: "Declared" }), "Declared", compileOptions);
  const named = text
    .replace(/^(export (?:interface|type)) Declared\b/m, (_, keyword: string) => `${keyword} ${name}`)
    .replace(/^\[k: string\]: unknown$/m, () => `[key: string]: ${index ?? "unknown"}`);
  return layoutDeclaration(named.replaceAll(/"\uE000(\w+)"/g, "$1"));
}

const shieldMark = "\uE000";

/** Marks keys that every object has: the library asks objects that carry them for their methods of the same name. */
function shield(key: string): string {
  return key in Object.prototype ? shieldMark + key : key;
}

type Projected = Record<string, unknown>;

/** Replaces what the library would inline or widen by the name of the type that it is. */
function project(schema: JsonSchema, types: TypeWriter): Projected {
  const { allOf, oneOf } = schema;
  const about = aboutOf(schema);
  if (schema.$ref !== undefined) return { ...about, tsType: nameOf(schema.$ref) };
  const [only] = allOf ?? [];
  if (only?.$ref !== undefined && allOf?.length === 1) return { ...about, ...project(only, types) };
  if (allOf?.some(isFields))
    return { ...about, allOf: allOf.filter(saysSomething).map((part) => project(part, types)) };
  if (oneOf?.every(isFields)) return { ...about, oneOf: oneOf.map((part) => project(part, types)) };
  if (schema.enum !== undefined && schema.type === "string") return { ...about, type: "string", enum: schema.enum };
  if (!isFields(schema) || schema.additionalProperties !== undefined) return { ...about, tsType: types.write(schema) };
  if (!saysSomething(schema)) return { ...about, tsType: "Record<string, never>" };
  return projectObject(schema, types, false);
}

function projectObject(schema: JsonSchema, types: TypeWriter, additionalProperties: Projected | false): Projected {
  const fields = Object.entries(schema.properties ?? {});
  const properties = Object.fromEntries(fields.map(([key, value]) => [shield(key), project(value || nothing, types)]));
  const required = schema.required?.map(shield) ?? [];
  return { ...aboutOf(schema), type: "object", required, properties, additionalProperties };
}

function aboutOf({ description, deprecated }: JsonSchema): Projected {
  return {
    ...(description !== undefined && description !== "" && { description: escapeComment(description) }),
    ...(deprecated === true && { deprecated }),
  };
}

function isFields(schema: JsonSchema): boolean {
  return schema.properties !== undefined && schema.type === "object";
}

function saysSomething(schema: JsonSchema): boolean {
  return schema.properties === undefined || Object.keys(schema.properties).length > 0;
}
