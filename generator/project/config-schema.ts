import { isRecord } from "../../support/values.js";
import type { Config } from "./config.js";

/** Subset of JSON Schema that describes configurations and that {@link problemsOf} interprets. */
export type Shape = { readonly description?: string } & (
  | { readonly type: "string"; readonly minLength: 1; readonly pattern: string }
  | { readonly type: "boolean" }
  | { readonly enum: readonly (string | boolean)[] }
  | { readonly type: "array"; readonly minItems: 1; readonly items: Shape }
  | ObjectShape
  | { readonly anyOf: readonly Shape[] }
);

/** Object that accepts only known members. */
export interface ObjectShape {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

/** Non-empty string that is a valid path. */
export const string: Shape = { type: "string", minLength: 1, pattern: "^[^\\u0000]*$" };
export const boolean: Shape = { type: "boolean" };
const strings: Shape = { type: "array", minItems: 1, items: string };

const specFiles = {
  schema: { ...string, description: "the path of the JSON Schema that belongs to a proto given by its path" },
  manifest: { ...string, description: "the binding manifest for the proto: a version, or a path" },
  protoPaths: { ...strings, description: "the folders that imports of the proto are relative to" },
} as const;

const agent: Shape = { ...string, description: "the agent skeleton, or the file that implements the service" };

/** Entry in a list of specifications, with its additional files. */
const specEntry: Shape = {
  type: "object",
  properties: {
    spec: { ...string, description: "a version of A2A, or the path of a proto or JSON Schema" },
    ...specFiles,
    agent,
  },
  required: ["spec"],
  additionalProperties: false,
};

/** Shape of each key of a configuration. */
export const configShapes: Readonly<Record<keyof Config, Shape>> = {
  spec: {
    description: "a version of A2A, the path of a proto or JSON Schema, or a list of them",
    anyOf: [string, { type: "array", minItems: 1, items: { anyOf: [string, specEntry] } }],
  },
  ...specFiles,
  versions: { ...strings, description: "additional versions that the output supports, such as 0.3.0" },
  extensions: {
    ...strings,
    description: "the JSON Schemas of extensions, as `FILE` or `URI=FILE`, which become modules of the output",
  },
  out: { ...string, description: "the folder of the output, such as src/a2a" },
  targets: { ...strings, description: "the targets to generate, such as client and server" },
  templates: { ...string, description: "a folder with templates that replace the built-in templates" },
  runtime: {
    ...string,
    description: "the support modules: package, copy, or the name of another package",
  },
  agent,
  aliases: { enum: ["all", "none"], description: "the names of earlier versions that remain as deprecated aliases" },
  importExtension: { enum: ["js", "ts", "none"], description: "the ending of relative imports" },
};

/** Returns the shape of an object with the given members. */
export function objectShape(properties: Readonly<Record<string, Shape>>): ObjectShape {
  return { type: "object", properties, additionalProperties: false };
}

/** Shape of a configuration file. */
export const configShape: ObjectShape = objectShape({
  $schema: { ...string, description: "the JSON Schema of this file, for editors" },
  ...configShapes,
});

/** Returns the JSON Schema of configuration files, which the package contains as `config.schema.json`. */
export function configSchema(): object {
  const title = "Configuration of a2a-codegen";
  return { $schema: "http://json-schema.org/draft-07/schema#", title, ...configShape };
}

/** Error in one part of a value. */
export interface ShapeProblem {
  /** Keys and indexes that lead to the part; empty for the value itself. */
  readonly path: readonly string[];
  /** The error, as the end of a sentence whose subject is the part: `must not be empty`. */
  readonly message: string;
  /** Known keys, if the error is an unknown key. */
  readonly known?: readonly string[];
  /** Description of the expected value. */
  readonly description?: string;
}

/**
 * Returns a problem for each part of a value that does not match a shape. Members that are `undefined` count as absent.
 */
export function problemsOf(value: unknown, shape: Shape, path: readonly string[] = []): ShapeProblem[] {
  const { description } = shape;
  const problem = (message: string): ShapeProblem[] => [{ path, message, ...(description && { description }) }];
  if ("enum" in shape) return shape.enum.some((one) => one === value) ? [] : problem(`must be ${nameOf(shape)}`);
  if ("anyOf" in shape) {
    const fitting = shape.anyOf.find((one) => isOfType(value, one));
    if (fitting !== undefined) return problemsOf(value, { ...(description && { description }), ...fitting }, path);
    return problem(`must be ${nameOf(shape)}`);
  }
  if (!isOfType(value, shape)) return problem(`must be ${nameOf(shape)}`);
  if (shape.type === "array" && Array.isArray(value)) {
    if (value.length === 0) return problem("must not be an empty list");
    return value.flatMap((item, index) => problemsOf(item, shape.items, [...path, String(index)]));
  }
  if (shape.type === "object" && isRecord(value)) return memberProblems(value, shape, path);
  if (value === "") return problem("must not be empty");
  return typeof value === "string" && value.includes("\0") ? problem("must not contain a NUL character") : [];
}

function memberProblems(
  value: Readonly<Record<string, unknown>>,
  { properties, required = [] }: ObjectShape,
  path: readonly string[],
): ShapeProblem[] {
  const known = Object.keys(properties);
  const missing = required.filter((key) => value[key] === undefined);
  return [
    ...missing.map((key) => ({ path, message: `requires "${key}"` })),
    ...Object.entries(value).flatMap(([key, member]) => {
      const shape = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (shape === undefined) return [{ path: [...path, key], message: "is an unknown key", known }];
      return member === undefined ? [] : problemsOf(member, shape, [...path, key]);
    }),
  ];
}

function isOfType(value: unknown, shape: Shape): boolean {
  if ("enum" in shape) return shape.enum.some((one) => one === value);
  if ("anyOf" in shape) return shape.anyOf.some((one) => isOfType(value, one));
  if (shape.type === "array") return Array.isArray(value);
  return shape.type === "object" ? isRecord(value) : typeof value === shape.type;
}

function nameOf(shape: Shape): string {
  if ("anyOf" in shape) return shape.anyOf.map(nameOf).join(" or ");
  if ("enum" in shape) {
    const values = shape.enum.map((value) => JSON.stringify(value));
    return [values.slice(0, -1).join(", "), ...values.slice(-1)].filter((part) => part !== "").join(" or ");
  }
  if (shape.type === "array") return shape.items === string ? "a list of strings" : "a list";
  return { string: "a string", boolean: "true or false", object: "an object" }[shape.type];
}
