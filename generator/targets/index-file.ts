import type { FilePlan } from "../emit/plan.js";

/** `index.ts`: everything but what needs packages. There is none where there is nothing to export. */
export function indexFile(
  plans: readonly { readonly exports: readonly string[]; readonly runtime: readonly string[] }[],
): FilePlan | undefined {
  const runtime = new Set(plans.flatMap((plan) => plan.runtime));
  const exports = plans.flatMap((plan) => plan.exports).map((module) => `export * from "./${module}.js";`);
  const shared = [
    { module: "base/json", line: 'export type { JsonObject, JsonValue } from "./runtime/base/json.js";' },
    {
      module: "schema/schema",
      line: 'export { parse, ValidationError, type Issue, type Schema, type Validation } from "./runtime/schema/schema.js";',
    },
  ].filter(({ module }) => runtime.has(module));
  if (exports.length === 0) return undefined;
  return {
    path: "index.ts",
    template: "index",
    view: { exports: [...exports.sort(), ...shared.map(({ line }) => line)] },
    runtime: shared.map(({ module }) => module),
  };
}
