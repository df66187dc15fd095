import type { SchemaDocument } from "./document.js";
import { itemsOf, memberOf, scalarOf, textsOf, type JsonNode, type JsonScalar } from "./json.js";

/** The types of JSON values. Every `integer` is also a `number`; a set never contains both. */
export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A set of types. */
export type JsonTypes = ReadonlySet<JsonType>;

const order = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/** Every type. */
export const allTypes: JsonTypes = new Set(order.filter((type) => type !== "integer"));

/** Returns the types that both sets contain. */
export function commonTypes(left: JsonTypes, right: JsonTypes): JsonTypes {
  return new Set(
    order.filter(
      (type) => (left.has(type) && holds(right, type)) || (right.has(type) && holds(left, type)),
    ),
  );
}

/** Returns the types that at least one of the sets contains. */
export function unitedTypes(sets: readonly JsonTypes[]): JsonTypes {
  const united = new Set(sets.flatMap((set) => [...set]));
  if (united.has("number")) united.delete("integer");
  return united;
}

/** Returns whether a set contains a type. */
export function holds(types: JsonTypes, type: JsonType): boolean {
  return types.has(type) || (type === "integer" && types.has("number"));
}

/** Returns whether `inner` is a subset of `outer`. */
export function isWithin(inner: JsonTypes, outer: JsonTypes): boolean {
  return [...inner].every((type) => holds(outer, type));
}

/** Returns the type of a scalar. */
export function typeOfScalar(value: JsonScalar): JsonType {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : "boolean";
}

/**
 * Returns the types in the keyword `type` of a schema; `undefined` if the schema does not have this
 * keyword.
 */
export function declaredTypes(node: JsonNode): JsonTypes | undefined {
  const type = memberOf(node, "type");
  if (type === undefined) return undefined;
  const names = [...textsOf(type), scalarOf(type)];
  return unitedTypes([new Set(order.filter((name) => names.includes(name)))]);
}

/**
 * Returns the constants that `const` and `enum` of a schema allow; `undefined` if the schema has
 * neither keyword.
 */
export function constantsOf(node: JsonNode): JsonScalar[] | undefined {
  const listed = memberOf(node, "enum");
  const constant = scalarOf(memberOf(node, "const"));
  const values =
    listed &&
    itemsOf(listed).flatMap((item) => scalarOf(item) ?? (item.kind === "scalar" ? [null] : []));
  if (constant === undefined) return values;
  return values === undefined || values.includes(constant) ? [constant] : [];
}

/**
 * Finds the JSON types that values of a schema can have. The result may contain additional types.
 * Aliases must not be circular.
 */
export class TypeFinder {
  readonly #document: SchemaDocument;
  readonly #known = new Map<JsonNode, JsonTypes>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /**
   * Returns the types of the values that a schema accepts. The result may contain additional types.
   */
  typesOf(node: JsonNode): JsonTypes {
    const known = this.#known.get(node) ?? this.#find(node);
    this.#known.set(node, known);
    return known;
  }

  /** Returns the result of {@link typesOf} as if the schema itself had no `type`. */
  typesOfOthers(node: JsonNode): JsonTypes {
    const constants = constantsOf(node);
    const target = this.#document.targetOf(node);
    const sets = [
      ...(constants ? [unitedTypes([new Set(constants.map(typeOfScalar))])] : []),
      ...(target ? [this.typesOf(target.node)] : []),
      ...itemsOf(memberOf(node, "allOf")).map((part) => this.typesOf(part)),
      ...["anyOf", "oneOf"].flatMap((key) => {
        const members = memberOf(node, key);
        return members ? [unitedTypes(itemsOf(members).map((member) => this.typesOf(member)))] : [];
      }),
    ];
    return sets.reduce(commonTypes, allTypes);
  }

  #find(node: JsonNode): JsonTypes {
    if (scalarOf(node) === false) return new Set();
    return commonTypes(declaredTypes(node) ?? allTypes, this.typesOfOthers(node));
  }
}
