import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { compareProtocols } from "../../../generator/diff/compare.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { readProtocol } from "../../../generator/core/read.js";
import { applyEdits } from "../../../generator/upgrade/edits.js";
import { namesBetween } from "../../../generator/upgrade/names.js";
import { loadProject, slashed } from "../../../generator/upgrade/project.js";
import { findNames } from "../../../generator/upgrade/rename.js";
import { generatedFolder } from "../../support/generated.js";
import { outFolder } from "../../support/output.js";

/** A file after the renames, and code to check: `line: message`. */
export interface RenamedCase {
  readonly text: string;
  readonly notices: readonly string[];
}

/** Renames what is old in the code of some cases, from one version to another. */
export async function renamedCases(
  cases: Readonly<Record<string, string>>,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, RenamedCase>> {
  const registry = specRegistry(packageFolder);
  const [before, after] = [from, to].map((spec) => readProtocol(registry.find(spec)));
  if (before === undefined || after === undefined) throw new Error("There are two");
  const names = namesBetween(before, after, compareProtocols(before, after));
  mkdirSync(outFolder, { recursive: true });
  const folder = mkdtempSync(join(outFolder, `renaming-${from}-${to}-`));
  const out = await generatedFolder(from);
  for (const [name, text] of Object.entries(cases)) writeFileSync(join(folder, `${name}.ts`), text);
  const { checked: project } = await loadProject({ tsconfig: undefined, folder, out });
  const isOutput = (fileName: string) => fileName.startsWith(`${slashed(out)}/`);
  rmSync(folder, { recursive: true });
  return new Map(
    project.files.map((file) => {
      const { renamings, notices } = findNames(file, project, names, isOutput);
      const found = notices.map(({ start, message }) => {
        return `${file.getLineAndCharacterOfPosition(start).line + 1}: ${message}`;
      });
      return [
        file.fileName.replace(/^.*\/|\.ts$/g, ""),
        { text: applyEdits(file.text, renamings), notices: found },
      ];
    }),
  );
}

/** Code by description. Each of the functions below reads a different notation. */
export type Cases = Readonly<Record<string, string>>;

/** Expected result for the code of a case, which is also part of the test title. */
interface Expectation extends Partial<RenamedCase> {
  readonly before: string;
}

function expectations(
  verb: string,
  cases: Cases,
  read: (text: string) => Expectation,
): Record<string, Expectation> {
  return Object.fromEntries(
    Object.entries(cases).map(([name, text]) => [`upgrade ${verb} ${name}`, read(text)]),
  );
}

/** The lines behind one of some marks, which is one character and a space. */
function marked(text: string, marks: string) {
  const lines = text.split("\n").filter((line) => line !== "" && marks.includes(line.charAt(0)));
  return lines.map((line) => line.slice(2));
}

const codeOf = (text: string, marks: string) =>
  marked(text, marks)
    .map((line) => `${line}\n`)
    .join("");

/** Reads `«before→after»` within code. */
export function renames(cases: Cases): Record<string, Expectation> {
  const side = (text: string, which: string) => text.replaceAll(/«([^→]*)→([^»]*)»/g, which);
  return expectations("renames", cases, (text) => ({
    before: side(text, "$1"),
    text: side(text, "$2"),
  }));
}

/** Reads code whose lines are marked with `-` before, and with `+` after. */
export function rewrites(cases: Cases): Record<string, Expectation> {
  return expectations("rewrites", cases, (text) => ({
    before: codeOf(text, " -"),
    text: codeOf(text, " +"),
  }));
}

/** Reads code with what is pointed out in it, on lines that are marked with `!`. */
export function points(cases: Cases): Record<string, Expectation> {
  return expectations("points out", cases, (text) => ({
    before: codeOf(text, " "),
    notices: marked(text, "!"),
  }));
}

/** Declares a test for each case of an upgrade from one version to another. */
export function tryCases(
  cases: Readonly<Record<string, Expectation>>,
  from: string,
  to: string,
): void {
  const all = Object.entries(cases).map(([name, found]) => ({
    name,
    file: name.replaceAll(/\W+/g, "-"),
    ...found,
  }));
  let found: ReadonlyMap<string, RenamedCase>;

  beforeAll(async () => {
    found = await renamedCases(
      Object.fromEntries(all.map(({ file, before }) => [file, before])),
      from,
      to,
    );
  });

  it.each(all)("$name", ({ file, name: _, before: __, ...expected }) => {
    expect(found.get(file)).toMatchObject(expected);
  });
}
