import { readFileSync } from "node:fs";

/** Keywords that hold schemas by name; the names are no keywords. */
const named = new Set([
  "definitions",
  "$defs",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords that hold a schema, or a list of schemas. */
const nested = new Set([
  ...["items", "additionalItems", "contains", "additionalProperties", "propertyNames"],
  ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else"],
]);

/**
 * The interface of a JSON Schema as a set of lines: path, keyword and value of all that is there
 * but descriptions.
 */
export function factsOfSchema(file) {
  const facts = new Set();
  addSchema(JSON.parse(readFileSync(file, "utf8")), "#", (path, fact) =>
    facts.add(`${path} ${fact}`),
  );
  return facts;
}

function addSchema(schema, path, add) {
  if (typeof schema !== "object" || schema === null) return add(path, JSON.stringify(schema));
  // Says that the schema is there, even if it is empty, and which kind of thing it is.
  add(path, Array.isArray(schema) ? `${schema.length} schemas` : "schema");
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${path}/${keyword}`;
    if (Array.isArray(schema) || nested.has(keyword)) addSchema(value, place, add);
    else if (named.has(keyword)) addNamed(value, place, add);
    else if (keyword !== "description") add(path, `${keyword} ${JSON.stringify(sortKeys(value))}`);
  }
}

function addNamed(schemas, path, add) {
  add(path, "names");
  for (const [name, schema] of Object.entries(schemas)) addSchema(schema, `${path}/${name}`, add);
}

/** A value of JSON with the keys of its objects in order. */
function sortKeys(value) {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}
