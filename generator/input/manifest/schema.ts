import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";
import { isRecord } from "../../../support/values.js";

/** The keywords of JSON Schema that `spec/manifest.schema.json` uses. Other keywords must be added to {@link violationsOf}. */
export interface ManifestSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: ManifestSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ManifestSchema>>;
  readonly propertyNames?: ManifestSchema;
  readonly additionalProperties?: boolean | ManifestSchema;
  readonly definitions?: Readonly<Record<string, ManifestSchema>>;
}

/** A violation of the manifest schema. */
export interface SchemaViolation {
  /** The path of the value, or of the key that is missing, unknown or invalid. */
  readonly path: readonly string[];
  readonly kind: "value" | "missing" | "unknown" | "name";
  /** The requirement for a value, which begins with "must". */
  readonly message: string;
  /** The allowed values, if the schema lists them. */
  readonly allowed?: readonly unknown[];
}

let read: ManifestSchema | undefined;

/** Returns the schema of manifests, `spec/manifest.schema.json`. */
export function manifestSchema(): ManifestSchema {
  return (read ??= JSON.parse(
    readFileSync(join(packageFolder, "spec", "manifest.schema.json"), "utf8"),
  ) as ManifestSchema);
}

/** Returns all violations of the manifest schema by a value. */
export function validateManifest(value: unknown): SchemaViolation[] {
  const root = manifestSchema();
  return [...violationsOf(root, value, [], root)];
}

/** Yields the violations of a schema by a value at a path. `root` is the schema that references point into. */
export function* violationsOf(
  schema: ManifestSchema,
  value: unknown,
  path: readonly string[],
  root: ManifestSchema,
): Generator<SchemaViolation> {
  if (schema.$ref !== undefined) yield* violationsOf(referenced(schema.$ref, root), value, path, root);
  const violation = (message: string): SchemaViolation => ({ path, kind: "value", message });
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    yield violation(`must be of the type ${types.join(" or ")}`);
  if ("const" in schema && value !== schema.const) yield violation(`must be ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    yield { ...violation("must be equal to one of the allowed values"), allowed: schema.enum };
  if (typeof value === "string" && schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value))
    yield violation(`must match pattern "${schema.pattern}"`);
  if (typeof value === "number") {
    if (schema.minimum !== undefined && value < schema.minimum) yield violation(`must be >= ${schema.minimum}`);
    if (schema.maximum !== undefined && value > schema.maximum) yield violation(`must be <= ${schema.maximum}`);
  }
  if (Array.isArray(value)) yield* ofItems(schema, value, path, root);
  if (isRecord(value)) yield* ofMembers(schema, value, path, root);
}

function* ofItems(
  schema: ManifestSchema,
  value: readonly unknown[],
  path: readonly string[],
  root: ManifestSchema,
): Generator<SchemaViolation> {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems) yield { path, kind: "value", message: `must have at least ${minItems} items` };
  if (value.length > maxItems) yield { path, kind: "value", message: `must have at most ${maxItems} items` };
  if (items === undefined) return;
  for (const [index, item] of value.entries()) yield* violationsOf(items, item, [...path, String(index)], root);
}

function* ofMembers(
  schema: ManifestSchema,
  value: Readonly<Record<string, unknown>>,
  path: readonly string[],
  root: ManifestSchema,
): Generator<SchemaViolation> {
  const { required = [], properties = {}, propertyNames, additionalProperties = true } = schema;
  for (const key of required)
    if (!Object.hasOwn(value, key)) yield { path: [...path, key], kind: "missing", message: "must be present" };
  for (const [key, member] of Object.entries(value)) {
    const at = [...path, key];
    if (propertyNames !== undefined && !violationsOf(propertyNames, key, at, root).next().done)
      yield { path: at, kind: "name", message: "must be a valid name" };
    if (Object.hasOwn(properties, key)) yield* violationsOf(properties[key] ?? {}, member, at, root);
    else if (additionalProperties === false) yield { path: at, kind: "unknown", message: "must not be present" };
    else if (additionalProperties !== true) yield* violationsOf(additionalProperties, member, at, root);
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "object") return isRecord(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** Returns the schema that a reference such as `#/definitions/names` points to. */
function referenced(reference: string, root: ManifestSchema): ManifestSchema {
  let found: unknown = root;
  for (const key of reference.split("/").slice(1)) found = isRecord(found) ? found[key] : undefined;
  if (!isRecord(found)) throw new Error(`The manifest schema does not contain ${reference}`);
  return found;
}
