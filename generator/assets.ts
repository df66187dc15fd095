import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "./diagnostics.js";
import type { Assets } from "./generate.js";
import { unixLines } from "./line-ends.js";

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
  /** How messages call the folder. */
  readonly shown: string;
}

/**
 * Reads the templates and support modules; files of `overrides` replace templates of the same path. Throws an
 * `InputError` where there is no such folder, or where a file in it replaces nothing.
 */
export function loadAssets(overrides?: Overrides): Assets {
  const folder = join(packageFolder, "templates");
  const templates = readFolder(folder, ".hbs");
  const replaced = overrides === undefined ? new Map<string, string>() : readOverrides(overrides, templates);
  for (const [name, text] of replaced) templates.set(name, text);
  const shown = [...replaced.keys()].map((name) => [name, join(overrides?.shown ?? "", `${name}.hbs`)] as const);
  const schema = readFileSync(join(packageFolder, "spec", "manifest.schema.json"), "utf8");
  const manifestSchema: unknown = JSON.parse(schema);
  if (typeof manifestSchema !== "object" || manifestSchema === null)
    throw new Error("The manifest schema is no object");
  return { templates, overrides: new Map(shown), runtime: readFolder(join(folder, "runtime"), ".ts"), manifestSchema };
}

/** Reads templates of the user; partials may be new ones. */
function readOverrides({ folder, shown }: Overrides, ours: ReadonlyMap<string, string>): Map<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    const remedy = "Correct the path behind --templates";
    throw new InputError({ problem: `there is no folder "${shown}" with templates`, remedy });
  }
  const found = readFolder(folder, ".hbs");
  const unknown = [...found.keys()].filter((name) => !ours.has(name) && !name.startsWith("partials/"));
  const known = [...ours.keys()].join(", ");
  const diagnostics = unknown.map((name) => ({
    place: { file: join(shown, `${name}.hbs`) },
    problem: "the file replaces no template",
    remedy: `The templates are ${known}`,
  }));
  if (diagnostics.length > 0) throw new InputError(...diagnostics);
  return found;
}

function readFolder(folder: string, ending: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending));
  const nameOf = (file: string): string => file.slice(0, -ending.length).split(sep).join("/");
  return new Map(files.sort().map((file) => [nameOf(file), unixLines(readFileSync(join(folder, file), "utf8"))]));
}
