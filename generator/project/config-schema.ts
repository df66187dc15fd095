import { type JsonSchema, withoutNul } from "../../support/json-schema.js";
import type { Config } from "./config.js";

/** Non-empty string that is a valid path. */
export const string: JsonSchema = { type: "string", minLength: 1, pattern: withoutNul };
export const boolean: JsonSchema = { type: "boolean" };
const strings: JsonSchema = { type: "array", minItems: 1, items: string };

const specFiles = {
  schema: {
    ...string,
    description: "the path of the JSON Schema that belongs to a proto given by its path",
  },
  manifest: { ...string, description: "the binding manifest for the proto: a version, or a path" },
  protoPaths: { ...strings, description: "the folders that imports of the proto are relative to" },
} as const;

const agent: JsonSchema = {
  ...string,
  description: "the agent skeleton, or the file that implements the service",
};

const implementation: JsonSchema = {
  ...string,
  description: "another name of agent: the program that serves services",
};

/** Entry in a list of specifications, with its additional files. */
const specEntry: JsonSchema = {
  type: "object",
  properties: {
    spec: { ...string, description: "a version of A2A, or the path of a proto or JSON Schema" },
    ...specFiles,
    agent,
    implementation,
  },
  required: ["spec"],
  additionalProperties: false,
};

/** Schema of each key of a configuration. */
export const configKeys: Readonly<Record<keyof Config, JsonSchema>> = {
  spec: {
    description:
      "a version of A2A, the path of a proto, a folder of protos or a JSON Schema, or a list of them",
    anyOf: [string, { type: "array", minItems: 1, items: { anyOf: [string, specEntry] } }],
  },
  ...specFiles,
  versions: {
    ...strings,
    description: "additional versions that the output supports, such as 0.3.0",
  },
  extensions: {
    ...strings,
    description:
      "the JSON Schemas of extensions, as `FILE` or `URI=FILE`, which become modules of the output",
  },
  out: { ...string, description: "the folder of the output, such as src/a2a" },
  targets: { ...strings, description: "the targets to generate, such as client and server" },
  templates: {
    ...string,
    description: "a folder with templates that replace the built-in templates",
  },
  runtime: {
    ...string,
    description: "the support modules: package, copy, or the name of another package",
  },
  agent,
  implementation,
  aliases: {
    enum: ["all", "none"],
    description: "the names of earlier versions that remain as deprecated aliases",
  },
  importExtension: { enum: ["js", "ts", "none"], description: "the ending of relative imports" },
};

/** Returns the schema of an object with the given members. */
export function objectSchema<Names extends string>(
  properties: Readonly<Record<Names, JsonSchema>>,
) {
  return { type: "object", properties, additionalProperties: false } as const;
}

/** Schema of a configuration file. */
export const configSchema = objectSchema({
  $schema: { ...string, description: "the JSON Schema of this file, for editors" },
  ...configKeys,
});

/**
 * Returns the JSON Schema of configuration files, which the package contains as
 * `config.schema.json`.
 */
export function publishedSchema(): object {
  const title = "Configuration of a2a-codegen";
  return { $schema: "http://json-schema.org/draft-07/schema#", title, ...configSchema };
}
