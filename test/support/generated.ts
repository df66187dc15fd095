import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFolder } from "../../support/package-folder.js";
import { outputs } from "../tools/outputs.mjs";
import { findSource, generateFrom, libraryOptions, outFolder, writeTo } from "./output.js";

const generated = new Map<string, Promise<string>>();

/**
 * Returns the folder with the output of a version: a committed output, or an output that this
 * process generates once.
 */
export async function generatedFolder(version: string): Promise<string> {
  if (outputs.some(({ folder }) => folder === version))
    return join(packageFolder, "generated", version);
  const written = generated.get(version) ?? generateVersion(version);
  generated.set(version, written);
  return await written;
}

/**
 * Returns the exports of several modules of the output of a version. Modules that the version does
 * not have are omitted.
 */
export async function modulesOf(version: string, modules: readonly string[]): Promise<object> {
  const folder = await generatedFolder(version);
  const paths = modules
    .map((name) => join(folder, `${name}.ts`))
    .filter((path) => existsSync(path));
  const loaded = paths.map(async (path) => (await import(pathToFileURL(path).href)) as object);
  return Object.assign({}, ...(await Promise.all(loaded))) as object;
}

async function generateVersion(version: string) {
  const name = `${version}-${String(process.pid)}`;
  // Files of a run are there at once for other tests that the same process runs.
  if (existsSync(join(outFolder, name))) return join(outFolder, name);
  return writeTo(name, await generateFrom(findSource(version), libraryOptions));
}
