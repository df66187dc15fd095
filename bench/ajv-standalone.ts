import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { ErrorObject } from "ajv";
import { outFolder } from "./folders.js";
import { generateSchema } from "./ours.js";

/** A validator that Ajv wrote as a module of its own. */
export type Standalone = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null };

/**
 * Has Ajv write a module for some definitions of the schema that our target `schema` makes, and loads it. As its
 * documentation recommends, in CommonJS, and with `allErrors` only where all errors are asked for. Formats are left to the patterns that
 * stand beside them: unlike ours, it does not look whether a day exists.
 */
export async function standalone<Name extends string>(
  names: readonly Name[],
  allErrors: boolean,
): Promise<Record<Name, Standalone>> {
  const schema = await generateSchema();
  const ajv = new Ajv({ allErrors, strict: false, validateFormats: false, code: { source: true, optimize: 1 } });
  ajv.addSchema(schema, "a2a");
  const refs = Object.fromEntries(names.map((name) => [name, `a2a#/definitions/${name}`]));
  mkdirSync(outFolder, { recursive: true });
  const file = join(outFolder, `ajv-${allErrors ? "all" : "first"}.cjs`);
  writeFileSync(file, standaloneCode.default(ajv, refs));
  return createRequire(import.meta.url)(file) as Record<Name, Standalone>;
}
