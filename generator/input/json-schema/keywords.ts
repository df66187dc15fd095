import { itemsOf, membersOf, type JsonNode } from "./json.js";

/** The required form of a keyword's value. */
export type KeywordKind =
  | "annotation"
  | "flag"
  | "boolean"
  | "text"
  | "unchecked"
  | "unenforced"
  | "reference"
  | "types"
  | "value"
  | "values"
  | "count"
  | "number"
  | "positive"
  | "pattern"
  | "names"
  | "schema"
  | "schemas"
  | "schemaMap"
  | "patternMap"
  | "definitions";

/** Every keyword that is read, and the required form of its value. */
export const keywords: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ["$id", "text"],
  ["$schema", "text"],
  ["$comment", "text"],
  ["title", "text"],
  ["description", "text"],
  ["default", "annotation"],
  ["examples", "annotation"],
  // Keyword of OpenAPI that selects a member of a union, but does not change which values are
  // valid.
  ["discriminator", "annotation"],
  ["contentSchema", "annotation"],
  ["readOnly", "flag"],
  ["writeOnly", "flag"],
  ["deprecated", "flag"],
  ["format", "unchecked"],
  ["contentEncoding", "unchecked"],
  ["contentMediaType", "unchecked"],
  ["$ref", "reference"],
  ["type", "types"],
  ["const", "value"],
  ["enum", "values"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "pattern"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["multipleOf", "positive"],
  ["items", "schema"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "boolean"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["properties", "schemaMap"],
  ["required", "names"],
  ["additionalProperties", "schema"],
  ["patternProperties", "patternMap"],
  ["propertyNames", "schema"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["unevaluatedProperties", "unenforced"],
  ["unevaluatedItems", "unenforced"],
  ["definitions", "definitions"],
  ["$defs", "definitions"],
]);

/** Keywords of any JSON Schema dialect that are not enforced. */
export const unsupported: ReadonlySet<string> = new Set(
  (
    "additionalItems prefixItems dependencies dependentRequired dependentSchemas nullable " +
    "$anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary id"
  ).split(" "),
);

/** The keywords that constrain objects. */
export const objectKeywords: readonly string[] = [
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
];

/** The keywords that only constrain values of one JSON type. */
export const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  object: objectKeywords,
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  string: ["minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  null: [],
};

/** Kinds of keywords that constrain no value, and of unknown keywords, which are annotations. */
const silent: ReadonlySet<KeywordKind | undefined> = new Set([
  ...(["annotation", "text", "flag", "unchecked", "unenforced", "definitions"] as const),
  undefined,
]);

/** Returns the keywords of a schema that constrain values, in the order of the source. */
export function constraintsOf(node: JsonNode): string[] {
  return membersOf(node).flatMap(([key]) => {
    const lone = (key === "then" || key === "else") && !hasKey(node, "if");
    const idle = key === "if" && !hasKey(node, "then") && !hasKey(node, "else");
    return lone || idle || silent.has(keywords.get(key)) ? [] : [key];
  });
}

/** Returns whether an object has a member. */
export function hasKey(node: JsonNode, key: string): boolean {
  return node.kind === "object" && node.entries.has(key);
}

/** A schema inside another schema, and its path. */
export interface InnerSchema {
  readonly node: JsonNode;
  readonly path: readonly string[];
}

/**
 * Returns the schemas directly inside a schema. For a property, its name is added to the path. For
 * any other keyword, the keyword is added.
 */
export function innerSchemas(node: JsonNode, path: readonly string[]): InnerSchema[] {
  return membersOf(node).flatMap(([key, { value }]): InnerSchema[] => {
    switch (keywords.get(key)) {
      case "schema":
        // An array in "items" is not supported. The check of the keywords reports it.
        return value.kind === "list" ? [] : [{ node: value, path: [...path, key] }];
      case "schemas":
        return itemsOf(value).map((item, index) => ({
          node: item,
          path: [...path, key, String(index)],
        }));
      case "schemaMap":
        return membersOf(value).map(([name, entry]) => ({
          node: entry.value,
          path: [...path, name],
        }));
      case "patternMap":
        return membersOf(value).map(([name, entry]) => ({
          node: entry.value,
          path: [...path, key, name],
        }));
      default:
        return [];
    }
  });
}
