import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * The folder of the packages of Temporal, such as `node_modules/@temporalio`, or `undefined` if
 * they are not installed. It may be anywhere that `NODE_PATH` names.
 */
export const temporalPackages: string | undefined = folderOf();

function folderOf(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve("@temporalio/client/package.json");
    const folder = dirname(dirname(file));
    const names = ["activity", "worker", "workflow"];
    return names.every((name) => existsSync(join(folder, name))) ? folder : undefined;
  } catch {
    return undefined;
  }
}
