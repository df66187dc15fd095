import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundledAssetsHash, readBundledAssets } from "../compiled/assets.js";
import type { Assets } from "../core/contract.js";
import { bundledFolder, SpecRegistry } from "../input/registry.js";
import type { SpecSource } from "../input/source.js";
import { InputError } from "../../support/diagnostics.js";
import { filesIn, readFiles } from "../../support/files.js";
import { hashOf } from "../../support/hash.js";
import { packageFolder } from "../../support/package-folder.js";

/** Version of A2A with whose output `build/library.mjs` compiles the package's task kit. */
const librarySpec = "1.0";

/** Folder with templates that replace bundled templates. */
export interface Overrides {
  readonly folder: string;
  /** Path of the folder, as shown in messages. Defaults to `folder`. */
  readonly shown?: string;
}

/**
 * Returns the templates and the support modules. Files in `overrides` replace the templates with
 * the same path.
 *
 * @throws InputError if the folder does not exist, or if one of its files does not match a template
 */
export function loadAssets(overrides?: Overrides): Assets {
  const librarySource = (): SpecSource =>
    new SpecRegistry(bundledFolder, packageFolder).find(librarySpec);
  const bundled = { ...readBundledAssets(), librarySource };
  if (overrides === undefined) return bundled;
  const replaced = readOverrides(overrides, bundled.templates);
  const { folder, shown = folder } = overrides;
  const files = [...replaced.keys()].map((name) => [name, join(shown, `${name}.hbs`)] as const);
  return {
    ...bundled,
    templates: new Map([...bundled.templates, ...replaced]),
    overrides: new Map(files),
  };
}

/** Returns the hash of assets, for which bundled assets are not read. */
export function hashOfAssets(overridden: Assets | undefined): string {
  const bundled = bundledAssetsHash();
  return overridden === undefined ? bundled : hashOf(bundled, ...[...overridden.templates].flat());
}

/** Reads a user's templates, which may include additional partials. */
function readOverrides(
  { folder, shown = folder }: Overrides,
  bundled: ReadonlyMap<string, string>,
): Map<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    const hint = "Correct the path in --templates";
    throw new InputError({ message: `the folder "${shown}" with templates does not exist`, hint });
  }
  const known = [...bundled.keys()].join(", ");
  const files = filesIn(folder).filter((file) => !isBystander(file));
  const diagnostics = files.flatMap((file) => {
    const name = file.replace(/\.hbs$/, "");
    if (name !== file && (bundled.has(name) || name.startsWith("partials/"))) return [];
    const hint =
      name === file
        ? "Remove it: templates end in .hbs, and the modules of runtime/ cannot be replaced"
        : `The templates are ${known}`;
    return [
      {
        location: { file: join(shown, file) },
        message: "the file does not replace a template",
        hint,
      },
    ];
  });
  if (diagnostics.length > 0) throw new InputError(...diagnostics);
  return readFiles(folder, files, ".hbs");
}

/**
 * Returns whether a file in the folder of templates is not a template: a hidden file, an editor's
 * backup, or notes.
 */
function isBystander(file: string): boolean {
  return /(?:^|\/)\.|~$|\.md$/.test(file);
}
