import type { SchemaDocument } from "./document.js";
import { itemsOf, memberOf, scalarOf, textsOf, type JsonNode, type JsonScalar } from "./json.js";

/** The types of JSON values; every `integer` is a `number` too, and a set never names both. */
export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A set of types. */
export type JsonTypes = ReadonlySet<JsonType>;

const order = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/** Every type. */
export const allTypes: JsonTypes = new Set(order.filter((type) => type !== "integer"));

/** The types that are in both sets. */
export function commonTypes(left: JsonTypes, right: JsonTypes): JsonTypes {
  return new Set(
    order.filter((type) => (left.has(type) && holds(right, type)) || (right.has(type) && holds(left, type))),
  );
}

/** The types that are in any of the sets. */
export function unitedTypes(sets: readonly JsonTypes[]): JsonTypes {
  const united = new Set(sets.flatMap((set) => [...set]));
  if (united.has("number")) united.delete("integer");
  return united;
}

/** Tells whether a set holds a type. */
export function holds(types: JsonTypes, type: JsonType): boolean {
  return types.has(type) || (type === "integer" && types.has("number"));
}

/** Tells whether a set holds nothing but what another holds. */
export function isWithin(inner: JsonTypes, outer: JsonTypes): boolean {
  return [...inner].every((type) => holds(outer, type));
}

/** The type of a scalar. */
export function typeOfScalar(value: JsonScalar): JsonType {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : "boolean";
}

/** The types that the keyword `type` of a schema names; `undefined` where it has none. */
export function declaredTypes(node: JsonNode): JsonTypes | undefined {
  const type = memberOf(node, "type");
  if (type === undefined) return undefined;
  const names = [...textsOf(type), scalarOf(type)];
  return unitedTypes([new Set(order.filter((name) => names.includes(name)))]);
}

/** The constants that `const` and `enum` of a schema leave; `undefined` where it has neither. */
export function constantsOf(node: JsonNode): JsonScalar[] | undefined {
  const listed = memberOf(node, "enum");
  const constant = scalarOf(memberOf(node, "const"));
  const values = listed && itemsOf(listed).flatMap((item) => scalarOf(item) ?? (item.kind === "scalar" ? [null] : []));
  if (constant === undefined) return values;
  return values === undefined || values.includes(constant) ? [constant] : [];
}

/** Finds out which types the values of a schema can have at most. Expects that no alias goes around in a circle. */
export class TypeFinder {
  readonly #document: SchemaDocument;
  readonly #known = new Map<JsonNode, JsonTypes>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /** The types of the values that a schema lets through, or more. */
  typesOf(node: JsonNode): JsonTypes {
    const known = this.#known.get(node) ?? this.#find(node);
    this.#known.set(node, known);
    return known;
  }

  /** As {@link typesOf}, without regard to the keyword `type` of the schema itself. */
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
