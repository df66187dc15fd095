import type { SpecSource } from "../../../../generator/input/source.js";
import { keyOf } from "./edit-makers.js";
import { protoOf } from "./protos.js";

/**
 * Content of a specification, read from its texts without the generator: a text for each name, such
 * as `Task.id`.
 */
export type Facts = ReadonlyMap<string, string>;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the facts of a specification. Names have no underscores and no capitals, so that names of
 * JSON and protobuf are equal. `leave` names facts that the other version cannot be compared with:
 * types if only one version is a schema, or facts that only protobuf has.
 */
export function factsOf(
  { proto, schema }: SpecSource,
  leave: { readonly types: boolean; readonly protobuf: boolean },
): Facts {
  const coarse = leave.types;
  const facts = new Map<string, string>();
  const add = (name: string, text: string) => {
    facts.set(plain(name), `${facts.get(plain(name)) ?? ""} ${text}`.trim());
  };
  for (const [name, definition] of schema === undefined ? [] : definitionsOf(schema.text))
    for (const [key, text] of schemaFacts(typeName(name, definition), definition, coarse))
      add(key, text);
  if (proto === undefined || (leave.protobuf && schema !== undefined)) return facts;
  const { messages, enums } = protoOf(proto.text);
  for (const { name, fields } of messages) {
    if (!facts.has(plain(name))) add(name, "object");
    for (const field of fields) {
      const type = coarse
        ? ""
        : `${field.label} ${field.type} ${field.oneof === undefined ? "" : "in a oneof"}`;
      if (schema === undefined) add(`${name}.${keyOf(field)}`, `${String(field.required)} ${type}`);
      if (!leave.protobuf) add(`${name}.${field.name}`, String(field.number));
    }
  }
  for (const { name, values } of enums) {
    if (!facts.has(plain(name))) add(name, "enum");
    for (const value of leave.protobuf ? [] : values)
      add(`${name}.${value.name}`, String(value.number));
  }
  return facts;
}

/** A name as facts have it. */
export function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function definitionsOf(text: string) {
  const document = JSON.parse(text) as Readonly<Record<string, Json>>;
  return Object.entries(document["definitions"] ?? document["$defs"] ?? {}) as [string, Json][];
}

/** The types of errors make room for the classes of errors. */
function typeName(name: string, { properties }: Json) {
  const isError = name === "A2AError" || JSON.stringify(properties ?? {}).includes('"const":-32');
  return isError ? `${name}Object` : name;
}

function schemaFacts(name: string, definition: Json, coarse: boolean): [string, string][] {
  const { properties, required = [] } = definition;
  if (properties === undefined) return [[name, coarse ? kindOf(definition) : typeText(definition)]];
  const needed = required as readonly string[];
  const members = Object.entries(properties as Readonly<Record<string, Json>>).map(
    ([key, value]): [string, string] => {
      return [`${name}.${key}`, `${String(needed.includes(key))} ${coarse ? "" : typeText(value)}`];
    },
  );
  return [[name, "object"], ...members];
}

function kindOf({ enum: values }: Json): string {
  return values === undefined ? "union" : "enum";
}

/**
 * The type of a schema without what people read, and without what JSON Schema can say in several
 * ways.
 */
function typeText(schema: Json): string {
  const {
    $ref,
    const: constant,
    enum: values,
    anyOf,
    oneOf,
    allOf,
    items,
    type,
    additionalProperties,
  } = schema;
  if (typeof $ref === "string") return $ref.replace(/.*\//, "");
  if (values !== undefined || constant !== undefined)
    return [...((values ?? [constant]) as readonly unknown[])]
      .map((value) => JSON.stringify(value))
      .sort()
      .join(" or ");
  const choices = (anyOf ?? oneOf ?? allOf) as readonly Json[] | undefined;
  if (choices !== undefined) return withoutNull(choices.map(typeText)).sort().join(" or ");
  if (Array.isArray(type)) return withoutNull(type.map(String)).sort().join(" or ");
  if (type === "array") return `list of ${typeText((items ?? {}) as Json)}`;
  const isMap =
    type === "object" && typeof additionalProperties === "object" && additionalProperties !== null;
  return isMap
    ? `map of ${typeText(additionalProperties as Json)}`
    : typeof type === "string"
      ? type
      : "anything";
}

/** Properties of 0.1.0 that are optional may also be null, which counts as absent. */
function withoutNull(types: readonly string[]) {
  return types.length === 2 ? types.filter((type) => type !== "null") : [...types];
}
