import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Assets } from "./generate.js";

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

/** Reads the templates and support modules; files of `overrides` replace templates of the same path. */
export function loadAssets(overrides?: string): Assets {
  const folder = join(packageFolder, "templates");
  const templates = readFolder(folder, ".hbs");
  if (overrides !== undefined) for (const [name, text] of readFolder(overrides, ".hbs")) templates.set(name, text);
  const schema = readFileSync(join(packageFolder, "spec", "manifest.schema.json"), "utf8");
  const manifestSchema: unknown = JSON.parse(schema);
  if (typeof manifestSchema !== "object" || manifestSchema === null)
    throw new Error("The manifest schema is no object");
  return { templates, runtime: readFolder(join(folder, "runtime"), ".ts"), manifestSchema };
}

function readFolder(folder: string, ending: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending));
  return new Map(
    files
      .sort()
      .map((file) => [file.slice(0, -ending.length).split(sep).join("/"), readFileSync(join(folder, file), "utf8")]),
  );
}
