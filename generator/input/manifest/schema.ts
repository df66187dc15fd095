import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchema } from "../../../support/json-schema.js";
import { packageFolder } from "../../../support/package-folder.js";

let read: JsonSchema | undefined;

/** Returns the schema of manifests, `spec/manifest.schema.json`. */
export function manifestSchema(): JsonSchema {
  return (read ??= JSON.parse(
    readFileSync(join(packageFolder, "spec", "manifest.schema.json"), "utf8"),
  ) as JsonSchema);
}
