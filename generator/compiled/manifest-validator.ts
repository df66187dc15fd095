import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { isRecord } from "../support/values.js";
import { packageFolder } from "../support/package-folder.js";

/** What a value has that the schema of manifests does not allow, or lacks. */
export interface SchemaError {
  readonly keyword: string;
  /** The JSON pointer of the value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The key that violates a schema of keys. One error with the keyword `propertyNames` reports all its violations. */
  readonly propertyName?: string;
}

/** Ajv as manifests are checked with. */
export const manifestAjv = new Ajv({ allErrors: true, strict: false, code: { source: true, esm: true } });

/** The schema of manifests. */
export const manifestSchema: object = readSchema(join(packageFolder, "spec", "manifest.schema.json"));

const validate = manifestAjv.compile(manifestSchema);

/** Validates a value against `spec/manifest.schema.json`, which the build compiles to a function. */
export function validateManifest(value: unknown): readonly SchemaError[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

function readSchema(path: string): object {
  const schema: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isRecord(schema)) throw new Error(`${path} holds no schema`);
  return schema;
}
