import { runtimeFolder } from "../emit/runtime-modules.js";
import type { GenerateOptions } from "./contract.js";
import { isPackage, subpathOf } from "./library.js";

const endings = { js: ".js", ts: ".ts", none: "" } as const;

/** Returns the extension of module specifiers in imports. */
export function endingOf(extension: GenerateOptions["importExtension"]): string {
  return endings[extension];
}

/**
 * Returns the specifier that a file of the output uses to import a module of the output. Both are identified by their
 * paths below the output folder. Depending on the options, runtime modules may be outside that folder.
 */
export function specifierFrom(
  file: string,
  module: string,
  { importExtension, runtimeImport }: Pick<GenerateOptions, "importExtension" | "runtimeImport">,
): string {
  const ending = endingOf(importExtension);
  if (runtimeImport !== undefined && module.startsWith(runtimeFolder)) {
    if (isPackage(runtimeImport)) return subpathOf(runtimeImport, module);
    return `${folderFrom(file, runtimeImport)}/${module.slice(runtimeFolder.length)}${ending}`;
  }
  const [from, to] = [file.split("/"), module.split("/")];
  let shared = 0;
  while (shared < from.length - 1 && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  const up = from.length - 1 - shared;
  return (up === 0 ? "./" : "../".repeat(up)) + to.slice(shared).join("/") + ending;
}

/** Returns the path from a file to a folder, given the path from `index.ts` to the folder. */
function folderFrom(file: string, folder: string): string {
  const up = "../".repeat(file.split("/").length - 1);
  if (up === "") return folder;
  return up + (folder.startsWith("./") ? folder.slice("./".length) : folder);
}
