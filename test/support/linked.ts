import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { libraryName } from "../../generator/core/package-names.js";
import { packageFolder } from "../../support/package-folder.js";

/** The folder of the library's package. */
export const libraryFolder = join(packageFolder, "library");

/** Links both packages of this repository into the `node_modules` of a folder. */
export function linkPackages(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  symlinkSync(packageFolder, join(modules, "a2a-codegen"), "junction");
  linkLibrary(folder);
}

/** Links the library, as in an installation without development dependencies. */
export function linkLibrary(folder: string, library = libraryFolder): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(library, join(folder, "node_modules", libraryName), "junction");
}
