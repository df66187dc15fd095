import { join } from "node:path";
import { filesIn, readFiles } from "../support/files.js";
import { packageFolder } from "../support/package-folder.js";
import { importsOf, type RuntimeModule } from "./runtime-module.js";

/** The templates and the modules to copy, by their paths without extension. */
export interface BundledAssets {
  readonly templates: ReadonlyMap<string, string>;
  readonly runtime: ReadonlyMap<string, RuntimeModule>;
  /** The modules of the kit. Their imports are paths below the output folder. */
  readonly kit: ReadonlyMap<string, RuntimeModule>;
}

/**
 * Returns the templates and the modules. This function reads separate files. The build replaces it with a function that
 * reads a single string.
 */
export function readBundledAssets(): BundledAssets {
  const folder = join(packageFolder, "templates");
  const modulesIn = (name: string, prefix: string): Map<string, RuntimeModule> => {
    const texts = readFiles(join(folder, name), filesIn(join(folder, name)), ".ts");
    return new Map(
      [...texts].map(([path, text]) => [prefix + path, { text, imports: importsOf(prefix + path, text) }]),
    );
  };
  return {
    templates: readFiles(folder, filesIn(folder), ".hbs"),
    runtime: modulesIn("runtime", ""),
    kit: modulesIn("kit", "kit/"),
  };
}
