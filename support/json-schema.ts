import { isRecord } from "./values.js";

/**
 * The keywords of JSON Schema that {@link violationsOf} interprets, because the project's own
 * schemas use them. Of the keywords next to `$ref` and `anyOf`, only the description has an effect.
 * The alternatives of `anyOf` have different types.
 */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly minLength?: 1;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
}

/** A violation of a schema by a part of a value. */
export interface Violation {
  /** Keys and indexes that lead to the part, or to the key that is missing, unknown or invalid. */
  readonly path: readonly string[];
  readonly kind: "value" | "missing" | "unknown" | "name";
  /** The requirement, as the end of a sentence whose subject is the part: `must not be empty`. */
  readonly message: string;
  /** The meaning of the part, if the schema describes it; otherwise "Correct it". */
  readonly hint: string;
  /** The known keys, if a key is unknown. */
  readonly known?: readonly string[];
}

/** The pattern of strings without a NUL character, such as paths. */
export const withoutNul = "^[^\\u0000]*$";

/**
 * Returns the violations of a schema by a value. Members that are `undefined` count as absent.
 * `root` is the schema that references point into.
 */
export function violationsOf(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema = schema,
  path: readonly string[] = [],
): Violation[] {
  const own = resolved(schema, value, root);
  const message = requirementOf(own, value);
  const violations: Violation[] =
    message === undefined ? [] : [{ path, kind: "value", message, hint: hintOf(own) }];
  if (isRecord(value)) return [...violations, ...memberViolations(own, value, root, path)];
  const { items } = own;
  if (!Array.isArray(value) || items === undefined) return violations;
  return [
    ...violations,
    ...value.flatMap((item, at) => violationsOf(items, item, root, [...path, String(at)])),
  ];
}

/**
 * Returns the schema for a value: follows references, and selects the alternative with the type of
 * the value.
 */
function resolved(schema: JsonSchema, value: unknown, root: JsonSchema): JsonSchema {
  const { $ref, anyOf, description } = schema;
  const target =
    $ref === undefined
      ? anyOf?.find((alternative) => fits(alternative, value))
      : referenced($ref, root);
  if (target === undefined) return schema;
  return { ...resolved(target, value, root), ...(description !== undefined && { description }) };
}

/** Returns the schema that a reference such as `#/definitions/names` points to. */
function referenced(reference: string, root: JsonSchema): JsonSchema {
  let found: unknown = root;
  for (const key of reference.split("/").slice(1)) found = isRecord(found) ? found[key] : undefined;
  if (!isRecord(found)) throw new Error(`The schema does not contain ${reference}`);
  return found;
}

/** Returns the first requirement that a value does not meet, apart from its items and members. */
function requirementOf(schema: JsonSchema, value: unknown): string | undefined {
  if (!fits(schema, value)) return `must be ${nameOf(schema)}`;
  if (typeof value === "string") {
    const { minLength = 0, pattern } = schema;
    if (value.length < minLength) return "must not be empty";
    if (pattern === undefined || new RegExp(pattern, "u").test(value)) return undefined;
    return pattern === withoutNul
      ? "must not contain a NUL character"
      : `must match the pattern ${pattern}`;
  }
  const { minimum = -Infinity, maximum = Infinity, minItems = 0, maxItems = Infinity } = schema;
  if (typeof value === "number") {
    if (value < minimum) return `must be at least ${minimum}`;
    if (value > maximum) return `must be at most ${maximum}`;
  }
  if (Array.isArray(value)) {
    if (value.length < minItems)
      return minItems === 1 ? "must not be an empty list" : `must have ${minItems} items`;
    if (value.length > maxItems) return `must have at most ${maxItems} items`;
  }
  return undefined;
}

function memberViolations(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  root: JsonSchema,
  path: readonly string[],
): Violation[] {
  const {
    required = [],
    properties = {},
    propertyNames = {},
    additionalProperties = true,
  } = schema;
  const missing = required.filter((key) => !Object.hasOwn(value, key) || value[key] === undefined);
  return [
    ...missing.map((key): Violation => ({
      path: [...path, key],
      kind: "missing",
      message: "must be present",
      hint: "Add it",
    })),
    ...Object.entries(value).flatMap(([key, member]): Violation[] => {
      const at = [...path, key];
      const property = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (property === false) {
        const known = Object.keys(properties);
        return [
          { path: at, kind: "unknown", message: "must not be present", hint: "Remove it", known },
        ];
      }
      const [name] = violationsOf(propertyNames, key, root, at);
      const named: Violation[] =
        name === undefined ? [] : [{ ...name, kind: "name", message: "must have a valid name" }];
      if (member === undefined || property === true || property === undefined) return named;
      return [...named, ...violationsOf(property, member, root, at)];
    }),
  ];
}

/** Returns whether a value has the type of a schema, or is one of its values. */
function fits(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined)
    return schema.anyOf.some((alternative) => fits(alternative, value));
  if ("const" in schema) return value === schema.const;
  const isValue = schema.enum?.includes(value) ?? true;
  return (
    isValue &&
    (schema.type === undefined || [schema.type].flat().some((type) => isOfType(type, value)))
  );
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "object") return isRecord(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

const typeNames: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "an object",
  string: "a string",
};

/** Returns the values that fit a schema, as words. */
function nameOf(schema: JsonSchema): string {
  const {
    anyOf,
    type = [],
    items,
    enum: values = "const" in schema ? [schema.const] : [],
  } = schema;
  if (anyOf !== undefined) return anyOf.map(nameOf).join(" or ");
  const literals = values.map((value) => JSON.stringify(value));
  const isListOfStrings = items?.type === "string";
  const types = [type]
    .flat()
    .map((each) => (each === "array" && isListOfStrings ? "a list of strings" : typeNames[each]));
  const last = literals.slice(-1).join("");
  return literals.length < 2
    ? [...literals, ...types].join(" or ")
    : `${literals.slice(0, -1).join(", ")} or ${last}`;
}

/**
 * Returns a hint from a description. The first letter changes to lower case, except in names such
 * as `Message.field`.
 */
function hintOf({ description }: JsonSchema): string {
  if (description === undefined) return "Correct it";
  const text = description
    .replace(/\.$/, "")
    .replace(/^[A-Z](?=[a-z]*[ ,:])/, (letter) => letter.toLowerCase());
  return `It specifies ${text}`;
}
