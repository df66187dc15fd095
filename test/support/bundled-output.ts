import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Generated } from "../../generator/core/contract.js";
import { writeTo } from "./output.js";

/**
 * Writes an output as one module for Node, which exports everything that `modules` of the output
 * export. `name` is the name of the folder for its sources.
 */
export async function bundleOutput(
  generated: Generated,
  name: string,
  modules: readonly string[],
  outfile: string,
): Promise<void> {
  const entry = join(writeTo(name, generated), "all.ts");
  writeFileSync(entry, modules.map((module) => `export * from "./${module}.js";\n`).join(""));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
}
