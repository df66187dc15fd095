import type { SchemaDocument, Definition } from "./document.js";
import { itemsOf, memberOf, membersOf, scalarOf, type JsonNode } from "./json.js";
import {
  allTypes,
  commonTypes,
  declaredTypes,
  isWithin,
  type JsonTypes,
  type TypeFinder,
} from "./json-types.js";
import { constraintsOf, objectKeywords } from "./keywords.js";

/** The kind of type that is generated for a schema. */
export type Plan = "message" | "enum" | "union" | "alias";

/** A part of an object: a definition, or a schema with properties. */
export type ObjectPart = { readonly definition: Definition } | { readonly node: JsonNode };

/**
 * Determines the kind of type for each schema, so that references can be written before the type is
 * built.
 */
export class Planner {
  readonly #document: SchemaDocument;
  readonly #types: TypeFinder;
  readonly #parts = new Map<JsonNode, ObjectPart[] | undefined>();
  readonly #plans = new Map<Definition, Plan>();

  constructor(document: SchemaDocument, types: TypeFinder) {
    this.#document = document;
    this.#types = types;
  }

  /** Plans a definition. */
  definition(definition: Definition): Plan {
    const plan = this.#plans.get(definition) ?? this.#definition(definition);
    this.#plans.set(definition, plan);
    return plan;
  }

  /** Plans a schema whose values have one of the given types. */
  inline(node: JsonNode, types: JsonTypes): Plan {
    if (isObject(commonTypes(types, this.#types.typesOf(node))) && this.#isMessage(node))
      return "message";
    const keys = constraintsOf(node).filter((key) => key !== "type");
    const declared = declaredTypes(node);
    const [key = ""] = keys;
    if (keys.length !== 1 || !["enum", "anyOf", "oneOf"].includes(key)) return "alias";
    const members = itemsOf(memberOf(node, key));
    if (key === "enum" ? members.every(isText) : stringConstantsOf(node).length > 0)
      return declared === undefined || declared.has("string") ? "enum" : "alias";
    const fits = declared === undefined || isWithin(this.#types.typesOfOthers(node), declared);
    return key !== "enum" && members.length > 1 && fits ? "union" : "alias";
  }

  /**
   * Returns the definition that a schema refers to, if the schema consists only of this reference.
   */
  aliasOf(node: JsonNode): Definition | undefined {
    const keys = constraintsOf(node);
    if (keys.length !== 1) return undefined;
    if (keys[0] === "$ref") return this.#document.targetOf(node);
    if (keys[0] !== "allOf" && keys[0] !== "anyOf" && keys[0] !== "oneOf") return undefined;
    const [only, ...others] = itemsOf(memberOf(node, keys[0]));
    return only && others.length === 0 ? this.aliasOf(only) : undefined;
  }

  /**
   * Returns the parts of an object schema; `undefined` if constraints other than properties apply
   * to the object.
   */
  partsOf(node: JsonNode): ObjectPart[] | undefined {
    if (this.#parts.has(node)) return this.#parts.get(node);
    const parts = this.#findParts(node);
    this.#parts.set(node, parts);
    return parts;
  }

  #findParts(node: JsonNode): ObjectPart[] | undefined {
    const keys = constraintsOf(node);
    const declared = declaredTypes(node);
    if (
      !keys.every((key) => partKeywords.has(key)) ||
      (declared !== undefined && !isObject(declared))
    )
      return undefined;
    if (node.kind !== "object") return undefined;
    const parts = keys.map((key) => this.#partsOf(node, key, keys));
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  }

  #definition({ node }: Definition): Plan {
    const isBare = constraintsOf(node).every(
      (key) => key === "type" || key === "properties" || key === "required",
    );
    return isBare && isObject(declaredTypes(node) ?? allTypes)
      ? "message"
      : this.inline(node, allTypes);
  }

  #partsOf(node: JsonNode, key: string, keys: readonly string[]): ObjectPart[] | undefined {
    if (key === "$ref") {
      const target = this.#document.targetOf(node);
      if (target === undefined || !this.#isOpenMessage(target.node)) return undefined;
      // An alias has no fields, so its target provides them.
      return this.definition(target) === "message"
        ? [{ definition: target }]
        : this.partsOf(target.node);
    }
    if (key === "allOf") {
      const inner = itemsOf(memberOf(node, key)).map((part) => this.partsOf(part));
      return inner.every((part) => part !== undefined) ? inner.flat() : undefined;
    }
    const isFirst = key === keys.find((other) => other === "properties" || other === "required");
    return isFirst ? [{ node }] : [];
  }

  #isOpenMessage(node: JsonNode): boolean {
    return isObject(this.#types.typesOf(node)) && this.partsOf(node) !== undefined;
  }

  #isMessage(node: JsonNode): boolean {
    const parts = this.partsOf(node);
    if (parts !== undefined)
      return parts.length > 1 || parts.some((part) => "node" in part && !isMap(part.node));
    const keys = constraintsOf(node);
    return keys.every((key) => key === "type" || objectKeywords.includes(key)) && !isMap(node);
  }
}

const partKeywords: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "type",
  "properties",
  "required",
]);

/** Returns whether `additionalProperties` is the only effective object keyword of a schema. */
export function isMap(node: JsonNode): boolean {
  const keys = constraintsOf(node).filter((key) => objectKeywords.includes(key));
  const isEmpty = (key: string): boolean =>
    membersOf(memberOf(node, key)).length === 0 && itemsOf(memberOf(node, key)).length === 0;
  return keys.every(
    (key) =>
      key === "additionalProperties" || (/^(properties|required)$/.test(key) && isEmpty(key)),
  );
}

/**
 * Returns the members of an `anyOf` or `oneOf` if each of them is a different string constant;
 * empty otherwise.
 */
export function stringConstantsOf(node: JsonNode): JsonNode[] {
  const members = itemsOf(memberOf(node, "anyOf") ?? memberOf(node, "oneOf"));
  const texts = members.map((member) => scalarOf(memberOf(member, "const")));
  const arePlain = members.every((member) => {
    const declared = declaredTypes(member);
    const isSound = declared === undefined || declared.has("string");
    return isSound && constraintsOf(member).every((key) => key === "const" || key === "type");
  });
  const areTexts =
    texts.every((text) => typeof text === "string") && new Set(texts).size === texts.length;
  return arePlain && areTexts ? [...members] : [];
}

function isText(node: JsonNode): boolean {
  return typeof scalarOf(node) === "string";
}

function isObject(types: JsonTypes): boolean {
  return types.size === 1 && types.has("object");
}
