import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const modulesFolder = "node_modules/";

/** The folders of the packages that bundles hold code of. */
function packagesIn(outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const found = inputs.flatMap((path) => {
    const start = path.lastIndexOf(modulesFolder);
    if (start < 0 || path.includes(":")) return [];
    const [scope, name] = path.slice(start + modulesFolder.length).split("/");
    return [path.slice(0, start + modulesFolder.length) + (scope.startsWith("@") ? `${scope}/${name}` : scope)];
  });
  return [...new Set(found)].sort();
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  return `${name} ${version} (${license})${text}\n`;
}

/** Writes the licenses of the packages in the outputs of a build into a file, as these ask for. */
export function writeLicenses(root, outputs, path) {
  const folders = packagesIn(outputs).map((folder) => join(root, folder));
  const texts = folders.filter((folder) => existsSync(join(folder, "package.json"))).map(licenseOf);
  writeFileSync(path, `The bundle holds code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`);
}
