import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that the package is installed in: the nearest one above this module that is a package. */
export const packageFolder = findPackage(dirname(fileURLToPath(import.meta.url)));

function findPackage(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : findPackage(dirname(folder));
}
