import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { NameSource } from "../../emit/imports.js";
import { quote } from "../../emit/text.js";
import {
  intersection,
  runtimeType,
  union,
  word,
  write,
  type TypeExpression,
} from "./type-expressions.js";

/**
 * Prints the types of values. If a declaration may refer to itself, maps have `index` signatures,
 * because TypeScript resolves the arguments of a `Record` eagerly. Other declarations use `Record`.
 */
export class TypeWriter {
  readonly #names: NameSource;
  readonly #maps: "record" | "index";

  constructor(names: NameSource, maps: "record" | "index" = "record") {
    this.#names = names;
    this.#maps = maps;
  }

  /** Returns the name of the type that a `$ref` refers to. */
  reference(reference: string): string {
    return this.#names.ownType(nameOf(reference));
  }

  /** Returns the type of the values that a schema accepts, as precisely as TypeScript allows. */
  write(schema: JsonSchema): string {
    return write(this.#type(schema), this.#names);
  }

  /** Returns the union of the types of several schemas, with `undefined` if `isOptional` is set. */
  writeAny(schemas: readonly JsonSchema[], isOptional: boolean): string {
    const types = schemas.map((schema) => this.#type(schema));
    return write(union(isOptional ? [...types, word("undefined")] : types), this.#names);
  }

  #type(schema: JsonSchema): TypeExpression {
    if (schema.$ref !== undefined) return { kind: "declared", text: nameOf(schema.$ref) };
    if (schema.const !== undefined) return literalOf(schema.const);
    if (schema.enum !== undefined) return union(schema.enum.map(literalOf));
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return this.#choice(choices);
    if (schema.allOf !== undefined)
      return intersection(schema.allOf.map((part) => this.#type(part)));
    if (schema.if !== undefined) return this.#choice([schema.then ?? {}, schema.else ?? {}]);
    if (schema.not !== undefined && Object.keys(schema.not).length === 0) return word("never");
    return this.#plain(schema);
  }

  #choice(choices: readonly JsonSchema[]): TypeExpression {
    const [number, text] = choices;
    if (choices.length === 2 && number?.type === "number" && text?.enum?.[0] === "NaN")
      return runtimeType("JsonNumber");
    return union(choices.map((choice) => this.#type(choice)));
  }

  #plain(schema: JsonSchema): TypeExpression {
    switch (schema.type) {
      case "string":
      case "boolean":
      case "null":
        return word(schema.type);
      case "integer":
      case "number":
        return word("number");
      case "array":
        return {
          kind: "list",
          item: schema.items === undefined ? runtimeType("JsonValue") : this.#type(schema.items),
        };
      case "object":
        return this.#object(schema);
      default:
        return runtimeType("JsonValue");
    }
  }

  #object(schema: JsonSchema): TypeExpression {
    if (schema.properties !== undefined) return runtimeType("AnyObject");
    if (schema.additionalProperties === undefined) return runtimeType("JsonObject");
    return { kind: "map", value: this.#type(schema.additionalProperties), form: this.#maps };
  }
}

/** Returns the name of the type that a `$ref` refers to. */
function nameOf(reference: string): string {
  return reference.slice("#/definitions/".length);
}

function literalOf(value: string | number | boolean | null): TypeExpression {
  if (value === null) return word("null");
  return { kind: "literal", text: typeof value === "string" ? quote(value) : String(value) };
}

/** Splits a type at an operator, except within literals and brackets. */
export function splitType(type: string, operator: " | " | " & "): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of type.matchAll(/"(?:[^"\\]|\\.)*"|[([{<]|[)\]}>]| [|&] /gs)) {
    if (token === operator && depth === 0) {
      parts.push(type.slice(start, index));
      start = index + operator.length;
    } else if (/^[([{<]$/.test(token)) depth += 1;
    else if (/^[)\]}>]$/.test(token)) depth -= 1;
  }
  return [...parts, type.slice(start)];
}
