import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const modulesFolder = "node_modules/";

/**
 * Returns the packages whose code a build contains: their folders, and the content of their
 * `package.json`.
 */
export function bundledPackages(root, outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const found = inputs.flatMap((path) => {
    const start = path.lastIndexOf(modulesFolder);
    if (start < 0 || path.includes(":")) return [];
    const [scope, name] = path.slice(start + modulesFolder.length).split("/");
    return [
      path.slice(0, start + modulesFolder.length) +
        (scope.startsWith("@") ? `${scope}/${name}` : scope),
    ];
  });
  const folders = [...new Set(found)].sort().map((folder) => join(root, folder));
  return folders
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, ...manifestOf(folder) }));
}

function manifestOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, license };
}
