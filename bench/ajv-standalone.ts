import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { ErrorObject } from "ajv";
import { outFolder } from "./folders.js";
import { generateSchema } from "./ours.js";

/** A validator that Ajv has written as a standalone module. */
export type Standalone = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null };

/**
 * Writes a module with Ajv for some definitions of the output of our target `schema`, and loads the
 * module. As the Ajv documentation recommends, it is CommonJS, and `allErrors` is only set if all
 * errors are required. Formats are checked by the patterns next to them: unlike our validators,
 * these do not check if a day exists.
 */
export async function standalone<Name extends string>(
  names: readonly Name[],
  {
    allErrors = false,
    checksJson = false,
  }: { readonly allErrors?: boolean; readonly checksJson?: boolean } = {},
): Promise<Record<Name, Standalone>> {
  const published = await generateSchema();
  const schema = checksJson ? withFreeJson(published) : published;
  const ajv = new Ajv({
    allErrors,
    strict: false,
    validateFormats: false,
    code: { source: true, optimize: 1 },
  });
  ajv.addSchema(schema, "a2a");
  const refs = Object.fromEntries(names.map((name) => [name, `a2a#/definitions/${name}`]));
  mkdirSync(outFolder, { recursive: true });
  const file = join(
    outFolder,
    `ajv-${allErrors ? "all" : "first"}${checksJson ? "-json" : ""}.cjs`,
  );
  writeFileSync(file, standaloneCode.default(ajv, refs));
  return createRequire(import.meta.url)(file) as Record<Name, Standalone>;
}

const free = { $ref: "#/definitions/json" };

/** Returns whether a value is JSON, including all nested values. */
const definition = {
  type: ["string", "number", "boolean", "null", "array", "object"],
  items: free,
  additionalProperties: free,
};

/** Requires values without constraints to be JSON, as our validators do. */
function withFreeJson(schema: Record<string, unknown>): Record<string, unknown> {
  return { ...schema, definitions: { ...eachOf(schema["definitions"], asking), json: definition } };
}

function asking(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asking);
  if (typeof schema !== "object" || schema === null) return schema;
  const rules = Object.entries(schema).filter(([key]) => key !== "description");
  const [[key, rule] = []] = rules;
  if (rules.length === 0) return free;
  if (rules.length === 1 && key === "type" && rule === "object")
    return { ...schema, additionalProperties: free };
  const inner = (name: string, part: unknown): unknown =>
    name === "properties" ? eachOf(part, asking) : asking(part);
  return Object.fromEntries(
    rules.map(([name, part]) => [name, name === "not" ? part : inner(name, part)]),
  );
}

function eachOf(members: unknown, change: (member: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members ?? {}).map(([name, member]) => [name, change(member)]),
  );
}
