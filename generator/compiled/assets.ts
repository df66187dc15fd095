import { join } from "node:path";
import { filesIn, readFiles } from "../support/files.js";
import { packageFolder } from "../support/package-folder.js";
import { importsOf, type RuntimeModule } from "./runtime-module.js";

/** The templates and the modules of the runtime, by their paths without extension. */
export interface BundledAssets {
  readonly templates: ReadonlyMap<string, string>;
  readonly runtime: ReadonlyMap<string, RuntimeModule>;
}

/** Returns the templates and the modules of the runtime. Here they are read one by one; the build makes one string of them. */
export function readBundledAssets(): BundledAssets {
  const folder = join(packageFolder, "templates");
  const runtimeFolder = join(folder, "runtime");
  const modules = readFiles(runtimeFolder, filesIn(runtimeFolder), ".ts");
  return {
    templates: readFiles(folder, filesIn(folder), ".hbs"),
    runtime: new Map([...modules].map(([path, text]) => [path, { text, imports: importsOf(path, text) }])),
  };
}
