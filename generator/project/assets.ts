import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../support/diagnostics.js";
import type { Assets } from "../core/contract.js";
import { unixLines } from "../support/line-ends.js";
import { withSlashes } from "../support/paths.js";

/** The folder that the package is installed in: the nearest one above this file that is a package. */
export const packageFolder = findPackage(dirname(fileURLToPath(import.meta.url)));

function findPackage(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : findPackage(dirname(folder));
}

/** The version of this package. */
export function packageVersion(): string {
  const text: unknown = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  return typeof text === "object" && text !== null && "version" in text ? String(text.version) : "0.0.0";
}

/** A folder with templates that replace those of the generator. */
export interface Overrides {
  readonly folder: string;
  /** How messages call the folder; by default as `folder` does. */
  readonly shown?: string;
}

/**
 * Reads the templates and support modules; files of `overrides` replace templates of the same path. Throws an
 * `InputError` where there is no such folder, or where a file in it replaces nothing.
 */
export function loadAssets(overrides?: Overrides): Assets {
  const folder = join(packageFolder, "templates");
  const runtime = join(folder, "runtime");
  const templates = readFiles(folder, filesIn(folder), ".hbs");
  const replaced = overrides === undefined ? new Map<string, string>() : readOverrides(overrides, templates);
  for (const [name, text] of replaced) templates.set(name, text);
  const { folder: own = "", shown = own } = overrides ?? {};
  const places = [...replaced.keys()].map((name) => [name, join(shown, `${name}.hbs`)] as const);
  const schema = readFileSync(join(packageFolder, "spec", "manifest.schema.json"), "utf8");
  const manifestSchema: unknown = JSON.parse(schema);
  if (typeof manifestSchema !== "object" || manifestSchema === null)
    throw new Error("The manifest schema is no object");
  return {
    templates,
    overrides: new Map(places),
    runtime: readFiles(runtime, filesIn(runtime), ".ts"),
    manifestSchema,
  };
}

/** Reads templates of the user; partials may be new ones. */
function readOverrides({ folder, shown = folder }: Overrides, ours: ReadonlyMap<string, string>): Map<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    const remedy = "Correct the path behind --templates";
    throw new InputError({ problem: `there is no folder "${shown}" with templates`, remedy });
  }
  const known = [...ours.keys()].join(", ");
  const files = filesIn(folder).filter((file) => !isBystander(file));
  const diagnostics = files.flatMap((file) => {
    const name = file.replace(/\.hbs$/, "");
    if (name !== file && (ours.has(name) || name.startsWith("partials/"))) return [];
    const remedy =
      name === file
        ? "Remove it: templates end in .hbs, and the modules of runtime/ are copied as they are"
        : `The templates are ${known}`;
    return [{ place: { file: join(shown, file) }, problem: "the file replaces no template", remedy }];
  });
  if (diagnostics.length > 0) throw new InputError(...diagnostics);
  return readFiles(folder, files, ".hbs");
}

/** Tells whether a file is only beside the templates: hidden, the backup of an editor, or notes. */
function isBystander(file: string): boolean {
  return /(?:^|\/)\.|~$|\.md$/.test(file);
}

/** Reads those of the files that end so, by their paths without the ending. */
function readFiles(folder: string, files: readonly string[], ending: string): Map<string, string> {
  const wanted = files.filter((file) => file.endsWith(ending));
  const read = (file: string): string => unixLines(readFileSync(join(folder, file), "utf8"));
  return new Map(wanted.map((file) => [file.slice(0, -ending.length), read(file)]));
}

/** The files below a folder, by their paths with slashes. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return entries
    .filter((entry) => statSync(join(folder, entry), { throwIfNoEntry: false })?.isFile() === true)
    .map(withSlashes)
    .sort();
}
