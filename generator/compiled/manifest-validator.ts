import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { isRecord } from "../support/values.js";
import { packageFolder } from "../support/package-folder.js";

/** A violation of the manifest schema: a value that is not allowed, or a missing key. */
export interface SchemaError {
  readonly keyword: string;
  /** The JSON pointer of the value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /**
   * The key that violates a schema of keys. A single error with the keyword `propertyNames` reports all violations of
   * this schema.
   */
  readonly propertyName?: string;
}

/** The Ajv instance with which manifests are checked. */
export const manifestAjv = new Ajv({ allErrors: true, strict: false, code: { source: true, esm: true } });

/** The manifest schema. */
export const manifestSchema: object = readSchema(join(packageFolder, "spec", "manifest.schema.json"));

const validate = manifestAjv.compile(manifestSchema);

/** Validates a value against `spec/manifest.schema.json`, which the build compiles to a function. */
export function validateManifest(value: unknown): readonly SchemaError[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

function readSchema(path: string): object {
  const schema: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isRecord(schema)) throw new Error(`${path} does not contain a schema`);
  return schema;
}
