import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBundledAssets } from "../compiled/assets.js";
import type { Assets } from "../core/contract.js";
import { bundledFolder, SpecRegistry } from "../input/registry.js";
import type { SpecSource } from "../input/source.js";
import { InputError } from "../support/diagnostics.js";
import { filesIn, readFiles } from "../support/files.js";
import { packageFolder } from "../support/package-folder.js";

/** The version whose output the task kit of the package is compiled with, as `build/library.mjs` does. */
const librarySpec = "1.0";

/** Returns the version of this package. */
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
 * Returns the templates and the modules of the runtime; files of `overrides` replace templates of the same path. Throws an
 * `InputError` if there is no such folder, or if a file in it replaces nothing.
 */
export function loadAssets(overrides?: Overrides): Assets {
  const librarySource = (): SpecSource => new SpecRegistry(bundledFolder, packageFolder).find(librarySpec);
  const bundled = { ...readBundledAssets(), librarySource };
  if (overrides === undefined) return bundled;
  const replaced = readOverrides(overrides, bundled.templates);
  const { folder, shown = folder } = overrides;
  const files = [...replaced.keys()].map((name) => [name, join(shown, `${name}.hbs`)] as const);
  return { ...bundled, templates: new Map([...bundled.templates, ...replaced]), overrides: new Map(files) };
}

/** Reads the templates of a user, who may add partials. */
function readOverrides({ folder, shown = folder }: Overrides, ours: ReadonlyMap<string, string>): Map<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    const hint = "Correct the path behind --templates";
    throw new InputError({ message: `there is no folder "${shown}" with templates`, hint });
  }
  const known = [...ours.keys()].join(", ");
  const files = filesIn(folder).filter((file) => !isBystander(file));
  const diagnostics = files.flatMap((file) => {
    const name = file.replace(/\.hbs$/, "");
    if (name !== file && (ours.has(name) || name.startsWith("partials/"))) return [];
    const hint =
      name === file
        ? "Remove it: templates end in .hbs, and the modules of runtime/ are copied as they are"
        : `The templates are ${known}`;
    return [{ location: { file: join(shown, file) }, message: "the file replaces no template", hint }];
  });
  if (diagnostics.length > 0) throw new InputError(...diagnostics);
  return readFiles(folder, files, ".hbs");
}

/** Returns whether a file is only beside the templates: hidden, the backup of an editor, or notes. */
function isBystander(file: string): boolean {
  return /(?:^|\/)\.|~$|\.md$/.test(file);
}
