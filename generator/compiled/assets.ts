import { join } from "node:path";
import { filesIn, readFiles } from "../../support/files.js";
import { hashOf } from "../../support/hash.js";
import { packageFolder } from "../../support/package-folder.js";
import { libraryModules, withOutputPaths } from "../../library/output-paths.mjs";
import { importsOf, type RuntimeModule } from "./runtime-module.js";

/** The templates and the modules to copy, by their paths without extension. */
export interface BundledAssets {
  readonly templates: ReadonlyMap<string, string>;
  readonly runtime: ReadonlyMap<string, RuntimeModule>;
  /** The modules of the kit. Their imports are paths below the output folder. */
  readonly kit: ReadonlyMap<string, RuntimeModule>;
}

let read: BundledAssets | undefined;

/**
 * Returns the templates and the modules. This function reads separate files, once. The build
 * replaces it with a function that reads a single string.
 */
export function readBundledAssets(): BundledAssets {
  return (read ??= readFolders());
}

let hash: string | undefined;

/** Returns the hash of the templates and the modules. In a build, it is a constant. */
export function bundledAssetsHash(): string {
  return (hash ??= computedHash(readBundledAssets()));
}

function computedHash({ templates, runtime, kit }: BundledAssets): string {
  const modules = [...runtime, ...kit].flatMap(([path, { text }]) => [path, text]);
  return hashOf(...[...templates].flat(), ...modules);
}

function readFolders(): BundledAssets {
  const folder = join(packageFolder, "templates");
  const library = join(packageFolder, "library");
  const files = libraryModules(packageFolder);
  const sources = [...files.values()].map((module) => `${module}.ts`);
  const texts = readFiles(library, sources, ".ts");
  const modulesIn = (place: string, prefix: string): Map<string, RuntimeModule> => {
    const found = [...files].filter(([path]) => path.startsWith(place));
    return new Map(
      found.map(([path, file]) => {
        const text = withOutputPaths(file, texts.get(file) ?? "");
        const name = path.slice(prefix.length);
        return [name, { text, imports: importsOf(name, text) }];
      }),
    );
  };
  return {
    templates: readFiles(folder, filesIn(folder), ".hbs"),
    runtime: modulesIn("runtime/", "runtime/"),
    kit: modulesIn("kit/", ""),
  };
}
