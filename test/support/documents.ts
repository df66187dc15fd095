import fc from "fast-check";

/** A node of a JSON Schema. */
export type SchemaNode = Readonly<Record<string, unknown>> | boolean;

/** Reads a JSON Schema that defines types, and gives the definitions by name. */
export function definitionsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, SchemaNode>> {
  return (schema["definitions"] ?? schema["$defs"] ?? {}) as Record<string, SchemaNode>;
}

const texts = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("", "é€😀", "__proto__", "constructor", "2.0", "text", "null", "0", "a/12", "#a", "abc"),
);
const json = fc.jsonValue({ maxDepth: 2 }).map(clean);
const integers = fc.oneof(fc.integer(), fc.nat(20), fc.constantFrom(0, 1, -1, 2 ** 53, -32001));
const numbers = fc.oneof(
  integers,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);

/** Documents that the keywords of a definition mean: most of them are valid. Limits are left to chance. */
export function documents(definitions: Readonly<Record<string, SchemaNode>>, name: string): fc.Arbitrary<unknown> {
  return new Writer(definitions).node(definitions[name] ?? true, 4);
}

/** The same documents, with something about them changed. */
export function mutated(document: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.nat(), fc.oneof(json, texts, numbers, fc.constantFrom(null, true, [], {})), fc.nat(5));
  return fc.tuple(document, fc.array(change, { minLength: 1, maxLength: 2 })).map(([value, changes]) => {
    let result = value;
    for (const [index, replacement, kind] of changes) result = mutate(result, index, replacement, kind);
    return clean(result);
  });
}

class Writer {
  readonly #definitions: Readonly<Record<string, SchemaNode>>;

  constructor(definitions: Readonly<Record<string, SchemaNode>>) {
    this.#definitions = definitions;
  }

  node(schema: SchemaNode, depth: number): fc.Arbitrary<unknown> {
    if (typeof schema === "boolean") return json;
    const { $ref, anyOf, oneOf, allOf, type } = schema;
    if (typeof $ref === "string") return this.node(this.#definitions[$ref.split("/").at(-1) ?? ""] ?? true, depth);
    if ("const" in schema) return fc.constant(schema["const"]);
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => this.node(choice as SchemaNode, depth)));
    if (Array.isArray(allOf)) return this.#all(allOf as SchemaNode[], depth);
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => this.#typed(schema, String(one), depth)));
    return this.#typed(schema, typeof type === "string" ? type : guess(schema), depth);
  }

  #all(parts: readonly SchemaNode[], depth: number): fc.Arbitrary<unknown> {
    return fc
      .tuple(...parts.map((part) => this.node(part, depth)))
      .map((values) => (values.every(isObject) ? Object.assign({}, ...values) : values[0]) as unknown);
  }

  #typed(schema: Readonly<Record<string, unknown>>, type: string, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case "string":
        return texts;
      case "integer":
        return integers;
      case "number":
        return numbers;
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return depth <= 0
          ? fc.constant([])
          : fc.array(this.node((schema["items"] ?? true) as SchemaNode, depth - 1), { maxLength: 3 });
      case "object":
        return this.#object(schema, depth);
      default:
        return json;
    }
  }

  #object(schema: Readonly<Record<string, unknown>>, depth: number): fc.Arbitrary<unknown> {
    const required = (schema["required"] ?? []) as string[];
    const undeclared = Object.fromEntries(required.map((name) => [name, true] as const));
    const properties = { ...undeclared, ...((schema["properties"] ?? {}) as Record<string, SchemaNode>) };
    const fields = Object.entries(properties)
      .filter(([name, field]) => field !== false && (depth > 0 || required.includes(name)))
      .map(([name, field]) => [name, fc.memo(() => this.node(field, depth - 1))(1)] as const);
    const record = fc.record(Object.fromEntries(fields), {
      requiredKeys: required.filter((name) => fields.some(([key]) => key === name)),
    });
    const extra = this.#others(schema, depth);
    return fc.tuple(extra, record).map(([more, value]) => clean({ ...more, ...value }));
  }

  #others(schema: Readonly<Record<string, unknown>>, depth: number): fc.Arbitrary<object> {
    const others = schema["additionalProperties"];
    const patterns = Object.values((schema["patternProperties"] ?? {}) as Record<string, SchemaNode>);
    const types = [...patterns, ...(others === undefined || others === false ? [] : [others as SchemaNode])];
    if (types.length === 0 || depth <= 0) return fc.constant({});
    const values = fc.oneof(...types.map((type) => this.node(type, depth - 1)));
    const keys = patterns.length === 0 ? texts : fc.oneof(texts, fc.constantFrom("x-a", "x-1", "a-1", "p/a"));
    return fc.dictionary(keys, values, { maxKeys: 2 });
  }
}

function guess(schema: Readonly<Record<string, unknown>>): string {
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) return "object";
  return "items" in schema ? "array" : "any";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As it arrives from outside: parsed from text. */
function clean(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Every place in a document: the object or list, and the key of the member. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[...path, key], ...placesOf(item, [...path, key])]);
}

function mutate(value: unknown, index: number, replacement: unknown, kind: number): unknown {
  const places = placesOf(value);
  const place = places[index % Math.max(places.length, 1)];
  if (place === undefined || kind === 0) return kind === 0 && index % 7 === 0 ? replacement : value;
  const copy = structuredClone(value);
  let holder = copy as Record<string, unknown>;
  for (const key of place.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  const last = place.at(-1) ?? "";
  if (kind === 1) delete holder[last];
  else if (kind === 2) holder[`${last}X`] = replacement;
  else if (kind === 3) holder[last] = null;
  else if (kind === 4 && typeof holder[last] === "string") holder[last] = `${holder[last]}x`;
  else holder[last] = replacement;
  return copy;
}
