import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { compareProtocols } from "../../../generator/diff/compare.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { readProtocol } from "../../../generator/core/read.js";
import { applyEdits } from "../../../generator/upgrade/edits.js";
import { namesBetween } from "../../../generator/upgrade/names.js";
import { loadProject, slashed } from "../../../generator/upgrade/project.js";
import { findNames } from "../../../generator/upgrade/rename.js";
import { outFolder } from "../../support/output.js";

/** A file after its names were changed, and what has to be looked at: `line: message`. */
export interface RenamedCase {
  readonly text: string;
  readonly notices: readonly string[];
}

/** Renames what is old in the code of some cases, from one version to another. */
export async function renamedCases(
  cases: ReadonlyMap<string, string>,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, RenamedCase>> {
  const registry = specRegistry(packageFolder);
  const [before, after] = [from, to].map((spec) => readProtocol(registry.find(spec)));
  if (before === undefined || after === undefined) throw new Error("There are two");
  const names = namesBetween(before, after, compareProtocols(before, after));
  mkdirSync(outFolder, { recursive: true });
  const folder = mkdtempSync(join(outFolder, `renaming-${from}-${to}-`));
  const out = join(packageFolder, "generated", from);
  for (const [name, text] of cases) writeFileSync(join(folder, `${name}.ts`), text);
  const { checked: project } = await loadProject({ tsconfig: undefined, folder, out });
  const isOutput = (fileName: string): boolean => fileName.startsWith(`${slashed(out)}/`);
  rmSync(folder, { recursive: true });
  return new Map(
    project.files.map((file) => {
      const { renamings, notices } = findNames(file, project, names, isOutput);
      const found = notices.map(({ start, message }) => {
        return `${file.getLineAndCharacterOfPosition(start).line + 1}: ${message}`;
      });
      return [file.fileName.replace(/^.*\/|\.ts$/g, ""), { text: applyEdits(file.text, renamings), notices: found }];
    }),
  );
}
