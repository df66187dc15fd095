import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * Returns the paths of files in a folder, and of all files that they import, directly or
 * indirectly. A declaration file imports declaration files.
 */
export function reachableFrom(starts, folder) {
  const found = new Set(starts);
  for (const path of found)
    for (const [, specifier] of readFileSync(join(folder, path), "utf8").matchAll(
      /(?:from ?|import ?\(?)"(\.[^"]*)\.js"/g,
    ))
      found.add(
        posix.join(posix.dirname(path), specifier) + (path.endsWith(".d.ts") ? ".d.ts" : ".js"),
      );
  return found;
}
