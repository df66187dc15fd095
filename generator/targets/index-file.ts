import { Imports } from "../emit/imports.js";
import type { FilePlan } from "../emit/plan.js";
import { runtime } from "../emit/runtime-modules.js";
import type { Protocol } from "../protocol/model/types.js";
import { typeExports } from "../protocol/names/names.js";

/**
 * Plans `index.ts`, which exports every module that does not require a package. It also exports the
 * runtime types in the signatures of these modules, if the output imports the module of the type.
 * Returns `undefined` if no module is exported.
 */
export function indexFile(
  protocol: Pick<Protocol, "types">,
  modules: readonly string[],
  imported: ReadonlySet<string>,
): FilePlan | undefined {
  if (modules.length === 0) return undefined;
  const imports = new Imports("index.ts", typeExports(protocol));
  for (const module of modules) imports.reexportAll(module);
  const { JsonObject, JsonValue, Issue, Schema, Validation, ValidationError, parse } = runtime;
  const shared = [JsonObject, JsonValue, Issue, Schema, Validation, ValidationError, parse];
  imports.reexportFree(...shared.filter(({ module }) => imported.has(module)));
  return imports.plan("index", {});
}
