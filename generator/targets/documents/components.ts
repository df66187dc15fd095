import { nothing, schemaOf } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema, SchemaDialect } from "../../protocol/json-schema/types.js";
import type { TypeDef } from "../../protocol/model/types.js";
import { paragraphs } from "./words.js";

/** Dialect of OpenAPI 3.1: draft 2020-12, in which `$ref` may have sibling keywords. */
export const openApiDialect: SchemaDialect = {
  refTo: schemaReference,
  allowsRefSiblings: true,
  absent: false,
};

/** Dialect of OpenRPC: draft-07. */
export const openRpcDialect: SchemaDialect = {
  refTo: schemaReference,
  allowsRefSiblings: false,
  absent: nothing,
};

function schemaReference(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * Schemas of a document by name. The schema of a type is derived when another schema first refers
 * to it.
 */
export class Schemas {
  readonly #dialect: SchemaDialect;
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #schemas = new Map<string, JsonSchema>();

  constructor(types: readonly TypeDef[], dialect: SchemaDialect) {
    this.#dialect = dialect;
    this.#types = new Map(types.map((type) => [type.name, type]));
  }

  /** Adds a schema, unless its name is already in use. Returns a reference to the schema. */
  add(name: string, schema: JsonSchema): JsonSchema {
    if (!this.#schemas.has(name)) this.#schemas.set(name, schema);
    return { $ref: this.#dialect.refTo(name) };
  }

  /**
   * Returns a name that no type or schema has: `name` if it is unused, otherwise `name` with a
   * prefix.
   */
  unused(name: string): string {
    return this.#types.has(name) || this.#schemas.has(name) ? this.unused(`Http${name}`) : name;
  }

  has(name: string): boolean {
    return this.#schemas.has(name);
  }

  /**
   * Adds the named types, and all types that the added schemas refer to, directly or indirectly.
   */
  complete(named: Iterable<string>): void {
    for (const name of named) this.#addType(name);
    const done = new Set<JsonSchema>();
    for (const schema of this.#schemas.values()) this.#follow(schema, done);
  }

  /** Returns all schemas. The schemas of types are in the order of the specification. */
  all(): Record<string, JsonSchema> {
    const rest = [...this.#schemas].filter(([name]) => !this.#types.has(name));
    const typed = [...this.#types.keys()].flatMap((name): (readonly [string, JsonSchema])[] => {
      const schema = this.#schemas.get(name);
      return schema === undefined ? [] : [[name, schema]];
    });
    return Object.fromEntries([...typed, ...rest]);
  }

  #addType(name: string): void {
    const type = this.#types.get(name);
    if (type !== undefined) this.add(name, schemaOf(withSpellings(type), this.#dialect));
  }

  /** Adds the types that a schema refers to. */
  #follow(schema: JsonSchema, done: Set<JsonSchema>): void {
    if (done.has(schema)) return;
    done.add(schema);
    const { $ref } = schema;
    if ($ref !== undefined) this.#addType($ref.slice(this.#dialect.refTo("").length));
    for (const inner of partsOf(schema)) this.#follow(inner, done);
  }
}

/**
 * Returns an enum with docs that list the other accepted spellings, and any other type unchanged.
 */
function withSpellings(type: TypeDef): TypeDef {
  if (type.kind !== "enum") return type;
  const spellings = type.values.flatMap(({ name, aliases = [] }) =>
    aliases.map((alias) => `\`${alias}\` for \`${name}\``),
  );
  if (spellings.length === 0) return type;
  return { ...type, docs: paragraphs(type.docs, `In requests, also ${spellings.join(", ")}.`) };
}

/** Returns the schemas inside a schema. */
function partsOf(schema: JsonSchema): JsonSchema[] {
  const { items, additionalProperties, propertyNames, not } = schema;
  const single = [
    items,
    additionalProperties,
    propertyNames,
    not,
    schema.if,
    schema.then,
    schema.else,
  ];
  const lists = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => list ?? []);
  const members = [schema.properties, schema.patternProperties].flatMap((map) =>
    Object.values(map ?? {}),
  );
  return [...single, ...lists, ...members].filter((part) => part !== undefined && part !== false);
}
