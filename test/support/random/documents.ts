import type { Random } from "./random.js";
import { json, number, text } from "./json.js";
import { isRecord } from "../../../support/values.js";

/** A node of a JSON Schema. */
export type SchemaNode = Readonly<Record<string, unknown>> | boolean;

/** The definitions of a JSON Schema, by name. */
export function definitionsOf(
  schema: Readonly<Record<string, unknown>>,
): Readonly<Record<string, SchemaNode>> {
  return (schema["definitions"] ?? schema["$defs"] ?? {}) as Record<string, SchemaNode>;
}

/**
 * Random documents that the keywords of definitions mean: most of them are valid. Limits are left
 * to chance.
 */
export class SchemaDocuments {
  readonly #definitions: Readonly<Record<string, SchemaNode>>;
  /** The names of all properties. */
  readonly keys: readonly string[];

  constructor(definitions: Readonly<Record<string, SchemaNode>>) {
    this.#definitions = definitions;
    const found = [...JSON.stringify(definitions).matchAll(/"([^"\\]+)":/g)].map(
      ([, key = ""]) => key,
    );
    this.keys = [...new Set(found)];
  }

  /** A document of a definition. */
  of(name: string, random: Random): unknown {
    return this.#node(this.#definitions[name] ?? true, random, 4);
  }

  #node(schema: SchemaNode, random: Random, depth: number): unknown {
    if (typeof schema === "boolean") return json(random, [], 2);
    const { $ref, anyOf, oneOf, allOf, type } = schema;
    if (typeof $ref === "string")
      return this.#node(this.#definitions[$ref.split("/").at(-1) ?? ""] ?? true, random, depth);
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return random.pick(schema["enum"]) as unknown;
    const choices: unknown = anyOf ?? oneOf;
    if (Array.isArray(choices))
      return this.#node(random.pick(choices) as SchemaNode, random, depth);
    if (Array.isArray(allOf)) return this.#all(allOf as SchemaNode[], random, depth);
    const kind = Array.isArray(type)
      ? String(random.pick(type))
      : typeof type === "string"
        ? type
        : guess(schema);
    return this.#typed(schema, kind, random, depth);
  }

  #all(parts: readonly SchemaNode[], random: Random, depth: number): unknown {
    const values = parts.map((part) => this.#node(part, random, depth));
    return values.every(isRecord)
      ? Object.fromEntries(values.flatMap((value) => Object.entries(value)))
      : values[0];
  }

  #typed(
    schema: Readonly<Record<string, unknown>>,
    type: string,
    random: Random,
    depth: number,
  ): unknown {
    switch (type) {
      case "string":
        return text(random);
      case "integer":
        return random.oneIn(2) ? random.below(20) - 5 : Math.trunc(number(random)) + 0;
      case "number":
        return number(random);
      case "boolean":
        return random.oneIn(2);
      case "null":
        return null;
      case "array":
        return random.list(depth > 0 ? 3 : 0, () =>
          this.#node((schema["items"] ?? true) as SchemaNode, random, depth - 1),
        );
      case "object":
        return this.#object(schema, random, depth);
      default:
        return json(random, [], 2);
    }
  }

  #object(schema: Readonly<Record<string, unknown>>, random: Random, depth: number): object {
    const required = (schema["required"] ?? []) as string[];
    const properties = (schema["properties"] ?? {}) as Record<string, SchemaNode>;
    const sparse = random.below(4);
    const entries: [string, unknown][] = this.#others(schema, random, depth);
    for (const key of required)
      if (!Object.hasOwn(properties, key)) entries.push([key, json(random, [], 1)]);
    for (const [key, field] of Object.entries(properties)) {
      if (field === false) continue;
      if (!required.includes(key) && (depth <= 0 || random.below(4) >= sparse)) continue;
      entries.push([key, this.#node(field, random, depth - 1)]);
    }
    return Object.fromEntries(entries);
  }

  #others(
    schema: Readonly<Record<string, unknown>>,
    random: Random,
    depth: number,
  ): [string, unknown][] {
    const others = schema["additionalProperties"];
    const patterns = Object.values(
      (schema["patternProperties"] ?? {}) as Record<string, SchemaNode>,
    );
    const types = [
      ...patterns,
      ...(others === undefined || others === false ? [] : [others as SchemaNode]),
    ];
    if (types.length === 0 || depth <= 0) return [];
    const key = () =>
      patterns.length > 0 && random.oneIn(2)
        ? random.pick(["x-a", "x-1", "a-1", "p/a"])
        : text(random);
    return random.list(2, () => [key(), this.#node(random.pick(types), random, depth - 1)]);
  }
}

function guess(schema: Readonly<Record<string, unknown>>): string {
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema)
    return "object";
  return "items" in schema ? "array" : "any";
}
