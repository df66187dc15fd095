import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { Imports } from "../../emit/imports.js";
import { quote } from "../../emit/text.js";

/**
 * Writes the type of a value. A declaration that may lead back to itself needs maps as `index` signatures; elsewhere they
 * are a `Record`.
 */
export class TypeWriter {
  readonly #imports: Imports;
  readonly #maps: "record" | "index";

  constructor(imports: Imports, maps: "record" | "index" = "record") {
    this.#imports = imports;
    this.#maps = maps;
  }

  /** The type of the values that a schema accepts, as far as TypeScript can say it. */
  write(schema: JsonSchema): string {
    return this.#imported(this.#write(schema));
  }

  /** The type of values that one of several schemas accepts, or that are `undefined`. */
  writeAny(schemas: readonly JsonSchema[], isOptional: boolean): string {
    const types = schemas.map((schema) => this.#write(schema));
    return this.#imported(this.#union(isOptional ? [...types, "undefined"] : types));
  }

  /** Notes what a type needs of the runtime. That is known at the end only: wider types take in narrower ones. */
  #imported(type: string): string {
    for (const [, name] of type.matchAll(/"(?:[^"\\]|\\.)*"|\b(JsonValue|JsonObject|AnyObject|JsonNumber)\b/g)) {
      if (name !== undefined)
        this.#imports.type(name === "JsonNumber" ? "runtime/schema/types" : "runtime/base/json", name);
    }
    return type;
  }

  #write(schema: JsonSchema): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (schema.const !== undefined) return literalOf(schema.const);
    if (schema.enum !== undefined) return this.#union(schema.enum.map(literalOf));
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return this.#choice(choices);
    if (schema.allOf !== undefined) return this.#intersection(schema.allOf.map((part) => this.#write(part)));
    if (schema.if !== undefined) return this.#choice([schema.then ?? {}, schema.else ?? {}]);
    if (schema.not !== undefined && Object.keys(schema.not).length === 0) return "never";
    return this.#plain(schema);
  }

  /** One of several types, each said once, and none that another one includes. */
  #union(members: readonly string[]): string {
    const distinct = [...new Set(members.flatMap((member) => splitType(member, " | ")))];
    const wide = new Set(distinct);
    const kept = distinct.filter((member) => member !== "never" && !isIncluded(member, wide));
    if (kept.length < 2) return kept.join("") || "never";
    return kept.map((member) => (splitType(member, " & ").length > 1 ? `(${member})` : member)).join(" | ");
  }

  #choice(choices: readonly JsonSchema[]): string {
    const [number, text] = choices;
    if (choices.length === 2 && number?.type === "number" && text?.enum?.[0] === "NaN") {
      return "JsonNumber";
    }
    return this.#union(choices.map((choice) => this.#write(choice)));
  }

  #intersection(members: readonly string[]): string {
    const distinct = [...new Set(members.flatMap((member) => splitType(member, " & ")))];
    if (distinct.includes("never")) return "never";
    const kept = distinct.filter((member) => member !== "JsonValue");
    if (kept.length === 0) return "JsonValue";
    return kept.length === 1 ? kept.join("") : kept.map(parenthesize).join(" & ");
  }

  #plain(schema: JsonSchema): string {
    switch (schema.type) {
      case "string":
      case "boolean":
      case "null":
        return schema.type;
      case "integer":
      case "number":
        return "number";
      case "array":
        return schema.items === undefined ? "JsonValue[]" : `${parenthesize(this.#write(schema.items))}[]`;
      case "object":
        return this.#object(schema);
      default:
        return "JsonValue";
    }
  }

  #object(schema: JsonSchema): string {
    if (schema.properties !== undefined) return "AnyObject";
    if (schema.additionalProperties === undefined) return "JsonObject";
    const value = this.#write(schema.additionalProperties);
    return this.#maps === "record" ? `Record<string, ${value}>` : `{ [key: string]: ${value} }`;
  }
}

/** The name of the type that a reference leads to. */
export function nameOf(reference: string): string {
  return reference.slice("#/definitions/".length);
}

function literalOf(value: string | number | boolean | null): string {
  return typeof value === "string" ? quote(value) : String(value);
}

function parenthesize(type: string): string {
  return splitType(type, " | ").length > 1 || splitType(type, " & ").length > 1 ? `(${type})` : type;
}

const jsonParts = /^(?:JsonObject|JsonValue|string|number|boolean|null|true|false|".*"|-?\d.*)(?:\[\])*$/s;

/** Tells whether another member of a union accepts all that this one does. */
function isIncluded(member: string, members: ReadonlySet<string>): boolean {
  if (members.has("JsonValue") && member !== "JsonValue" && jsonParts.test(member)) return true;
  if (/^".*"$/s.test(member)) return members.has("string");
  if (/^-?\d/.test(member)) return members.has("number");
  return (member === "true" || member === "false") && members.has("boolean");
}

/** Splits a type at an operator, but not within literals and brackets. */
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
