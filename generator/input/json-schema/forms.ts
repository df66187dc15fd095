import { itemsOf, scalarOf, type JsonNode } from "./json.js";
import type { KeywordKind } from "./keywords.js";

const typeNames = ["object", "array", "string", "number", "integer", "boolean", "null"];

interface Form {
  /** The description of a value of this form, for messages. */
  readonly what: string;
  readonly fits: (node: JsonNode) => boolean;
}

const string: Form = { what: "a string", fits: (node) => typeof scalarOf(node) === "string" };
const flag: Form = { what: "true or false", fits: (node) => typeof scalarOf(node) === "boolean" };
const schemaMap: Form = { what: "an object of schemas", fits: ({ kind }) => kind === "object" };

/** The required forms of keyword values. */
export const forms: Readonly<Record<KeywordKind, Form>> = {
  annotation: { what: "anything", fits: () => true },
  flag,
  boolean: flag,
  text: string,
  unchecked: string,
  unenforced: { what: "a schema", fits: ({ kind }) => kind !== "list" },
  reference: string,
  pattern: string,
  value: { what: "a value", fits: () => true },
  values: { what: "a list of values", fits: isFilledList },
  types: { what: `one of ${typeNames.join(", ")}, or a list of them`, fits: isTypes },
  count: {
    what: "a whole number from 0",
    fits: (node) => isNumber(node, (number) => Number.isInteger(number) && number >= 0),
  },
  number: { what: "a number", fits: (node) => isNumber(node, () => true) },
  positive: { what: "a number above 0", fits: (node) => isNumber(node, (number) => number > 0) },
  names: { what: "a list of strings without duplicates", fits: isNames },
  schema: { what: "a schema", fits: ({ kind }) => kind !== "list" },
  schemas: { what: "a list of schemas", fits: isFilledList },
  schemaMap,
  patternMap: schemaMap,
  definitions: schemaMap,
};

function isNumber(node: JsonNode, test: (value: number) => boolean): boolean {
  const value = scalarOf(node);
  return typeof value === "number" && test(value);
}

function isFilledList(node: JsonNode): boolean {
  return itemsOf(node).length > 0;
}

function isTypes(node: JsonNode): boolean {
  const names = node.kind === "list" ? node.items.map(scalarOf) : [scalarOf(node)];
  const known = names.every((name) => typeof name === "string" && typeNames.includes(name));
  return known && names.length > 0 && new Set(names).size === names.length;
}

function isNames(node: JsonNode): boolean {
  const names = itemsOf(node).map(scalarOf);
  const areTexts = names.every((name) => typeof name === "string");
  return node.kind === "list" && areTexts && new Set(names).size === names.length;
}
