import { compile } from "json-schema-to-typescript";
import { nothing } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { layoutDeclaration } from "./declaration.js";
import { escapeComment } from "../../emit/text.js";
import type { TypeWriter } from "./type-text.js";

const compileOptions = {
  format: false,
  bannerComment: "",
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  // References have already been replaced with names, so the library does not have to resolve them.
  $refOptions: { resolve: { external: false }, dereference: { excludedPathMatcher: () => true } },
} as const;

/** Type to declare. */
export interface Declaration {
  readonly name: string;
  /**
   * Input of the library: the schema, with names of types in place of the parts that the library
   * would inline or widen.
   */
  readonly projected: Projected;
  /** Type of the additional members of an object. */
  readonly index: string | undefined;
}

/**
 * Returns the declaration of the type that a schema describes. `types` records the names that the
 * declaration uses.
 */
export function declarationOf(
  name: string,
  schema: JsonSchema,
  types: TypeWriter,
  index?: string,
): Declaration {
  const isOpen = index !== undefined;
  const projected = isOpen
    ? projectObject(schema, types, { tsType: "unknown" })
    : project(schema, types);
  return { name, projected, index };
}

/**
 * Number of types that one run of the library declares. Every run has a fixed cost, and its memory
 * use grows with its input.
 */
const batchSize = 100;

/**
 * Declares the types that schemas describe. An object with fields becomes an interface, any other
 * type an alias.
 */
export async function declareAll(declarations: readonly Declaration[]): Promise<string[]> {
  const texts: string[] = [];
  for (let start = 0; start < declarations.length; start += batchSize)
    texts.push(...(await declareBatch(declarations.slice(start, start + batchSize))));
  return texts;
}

/**
 * Declares one batch of types. The library derives the names of declarations from titles, and
 * changes their case. Therefore, the types are declared as members of a single object, with numbers
 * as titles.
 */
async function declareBatch(declarations: readonly Declaration[]): Promise<string[]> {
  const members = declarations.map(({ projected }, number) => {
    return [
      `member${number}`,
      Object.assign({}, projected, { title: `Declared${number}` }),
    ] as const;
  });
  const whole = {
    type: "object",
    title: "Declared",
    properties: Object.fromEntries(members),
  } as const;
  const texts = split(await compile(whole, "Declared", compileOptions));
  return declarations.map(({ name, index }, number) => {
    const text = texts.get(`Declared${number}`);
    if (text === undefined) throw new Error(`json-schema-to-typescript declares no ${name}`);
    const named = text
      .replace(/^(export (?:interface|type)) \w+/m, (_, keyword: string) => `${keyword} ${name}`)
      .replace(/^\[k: string\]: unknown$/m, () => `[key: string]: ${index ?? "unknown"}`);
    return layoutDeclaration(named.replaceAll(/"\uE000(\w+)"/g, "$1"));
  });
}

/** Splits the library's output into declarations by name, each with its preceding comment. */
function split(text: string): Map<string, string> {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, at) => {
    const [, name] = /^export (?:interface|type) (\w+)/.exec(line) ?? [];
    if (name === undefined) return [];
    return [{ name, start: lines[at - 1] === " */" ? lines.lastIndexOf("/**", at) : at }];
  });
  return new Map(
    starts.map(({ name, start }, index) => [
      name,
      lines.slice(start, starts[index + 1]?.start).join("\n"),
    ]),
  );
}

const shieldMark = "\uE000";

/**
 * Marks keys with the name of an inherited method. Otherwise, the library would try to call a
 * schema's own property as that method.
 */
function shield(key: string): string {
  return key in Object.prototype ? shieldMark + key : key;
}

type Projected = Record<string, unknown>;

/**
 * Replaces the parts of a schema that the library would inline or widen with the names of their
 * types.
 */
function project(schema: JsonSchema, types: TypeWriter): Projected {
  const { allOf = [], oneOf } = schema;
  const about = descriptionOf(schema);
  const projected = (parts: readonly JsonSchema[]): Projected[] =>
    parts.map((part) => project(part, types));
  if (schema.$ref !== undefined) return { ...about, tsType: types.reference(schema.$ref) };
  const [only] = allOf;
  if (only?.$ref !== undefined && allOf.length === 1) return { ...about, ...project(only, types) };
  if (allOf.some(isFields)) return { ...about, allOf: projected(allOf.filter(hasContent)) };
  if (oneOf?.every(isFields)) return { ...about, oneOf: projected(oneOf) };
  if (schema.enum !== undefined && schema.type === "string")
    return { ...about, type: "string", enum: schema.enum };
  if (!isFields(schema) || schema.additionalProperties !== undefined)
    return { ...about, tsType: types.write(schema) };
  if (!hasContent(schema)) return { ...about, tsType: "Record<string, never>" };
  return projectObject(schema, types, false);
}

function projectObject(
  schema: JsonSchema,
  types: TypeWriter,
  additionalProperties: Projected | false,
): Projected {
  const fields = Object.entries(schema.properties ?? {});
  const properties = Object.fromEntries(
    fields.map(([key, value]) => [shield(key), project(value || nothing, types)]),
  );
  const required = schema.required?.map(shield) ?? [];
  return { ...descriptionOf(schema), type: "object", required, properties, additionalProperties };
}

function descriptionOf({ description = "", deprecated }: JsonSchema): Projected {
  // Put the tag last, because TSDoc treats all text after a tag as a part of the tag.
  const docs = [
    ...(description === "" ? [] : [description]),
    ...(deprecated === true ? ["@deprecated"] : []),
  ];
  return {
    ...(docs.length > 0 && { description: escapeComment(docs.join("\n\n")) }),
  };
}

function isFields(schema: JsonSchema): boolean {
  return schema.properties !== undefined && schema.type === "object";
}

function hasContent(schema: JsonSchema): boolean {
  return schema.properties === undefined || Object.keys(schema.properties).length > 0;
}
