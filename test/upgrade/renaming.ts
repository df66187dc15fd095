import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder, loadAssets } from "../../generator/assets.js";
import { compareProtocols } from "../../generator/diff/compare.js";
import { specRegistry } from "../../generator/project.js";
import { readProtocol } from "../../generator/read-protocol.js";
import { applyEdits } from "../../generator/upgrade/edits.js";
import { namesBetween } from "../../generator/upgrade/names.js";
import { loadProject, slashed } from "../../generator/upgrade/project.js";
import { findNames } from "../../generator/upgrade/rename.js";
import { outFolder } from "../support/output.js";

/** Renames what is old in the code of some cases, from one version to another, and gives the texts afterwards. */
export async function renamedCases(
  cases: ReadonlyMap<string, string>,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, string>> {
  const registry = specRegistry(packageFolder);
  const { manifestSchema } = loadAssets();
  const [before, after] = [from, to].map((spec) => readProtocol(registry.find(spec), manifestSchema));
  if (before === undefined || after === undefined) throw new Error("There are two");
  const names = namesBetween(before, after, compareProtocols(before, after));
  const folder = join(outFolder, `renaming-${from}-${to}`);
  const out = join(packageFolder, "generated", from);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of cases) writeFileSync(join(folder, `${name}.ts`), text);
  const { checked: project } = await loadProject({ tsconfig: undefined, folder, out });
  const isOutput = (fileName: string): boolean => fileName.startsWith(`${slashed(out)}/`);
  return new Map(
    project.files.map((file) => {
      const { renamings } = findNames(file, project, names, isOutput);
      return [file.fileName.replace(/^.*\/|\.ts$/g, ""), applyEdits(file.text, renamings)];
    }),
  );
}
