import type { GenerateOptions } from "./contract.js";

const endings = { js: ".js", ts: ".ts", none: "" } as const;

/** Returns the extension of module specifiers in imports. */
export function endingOf(extension: GenerateOptions["importExtension"]): string {
  return endings[extension];
}

/**
 * Returns the specifier that a file of the output uses to import a module of the output. Both are
 * identified by their paths below the output folder.
 */
export function specifierFrom(
  file: string,
  module: string,
  { importExtension }: Pick<GenerateOptions, "importExtension">,
): string {
  const [from, to] = [file.split("/"), module.split("/")];
  let shared = 0;
  while (shared < from.length - 1 && shared < to.length - 1 && from[shared] === to[shared])
    shared += 1;
  const up = from.length - 1 - shared;
  return (
    (up === 0 ? "./" : "../".repeat(up)) + to.slice(shared).join("/") + endingOf(importExtension)
  );
}
