import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { parseJsonText } from "../../support/json-text.js";
import { isRecord } from "../../support/values.js";
import type { OutputFile } from "../core/contract.js";

/** Requirements of the output that the project does not meet. */
export interface PackageNeeds {
  /** Packages that the output imports, but that are not dependencies of the project. */
  readonly missing: readonly string[];
  /** Whether the user has chosen no targets, so that the packages are only required for some uses. */
  readonly isOptional: boolean;
  /**
   * Whether the project is a CommonJS project, in which the output must be compiled to CommonJS.
   */
  readonly commonJs: boolean;
  /**
   * Whether Next.js bundles the project, which compiles ES modules unless `package.json` declares
   * CommonJS.
   */
  readonly isNext: boolean;
}

/** Facts about a run for {@link packageNeeds}. */
interface RunFacts {
  /** The packages that the caller adds to the `package.json`. */
  readonly added?: readonly string[];
  /** Whether the user has chosen no targets. */
  readonly hasDefaultTargets?: boolean;
}

/**
 * Compares the output with the nearest `package.json` above its folder. A package that a project
 * around it lists or has installed is not missing.
 */
export function packageNeeds(
  files: readonly OutputFile[],
  out: string,
  { added = [], hasDefaultTargets = false }: RunFacts = {},
): PackageNeeds {
  const folder = packageFolderAbove(out);
  const description = folder === undefined ? undefined : descriptionIn(folder);
  // A package with `exports` can import itself by its name.
  const own = description?.["exports"] === undefined ? [] : [description["name"]];
  const known = [
    ...added,
    ...own,
    ...dependencySections.flatMap((section) => Object.keys(memberOf(description, section))),
  ];
  const imported = files.flatMap(({ text }) =>
    [...text.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)(?:\/[^"]*)?";$/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  const missing = [...new Set(imported)]
    .sort()
    .filter((name) => !known.includes(name) && !isListed(name, out) && !isInstalled(name, out));
  const isNext = known.includes("next");
  const isCommonJs = description !== undefined && description["type"] !== "module";
  return {
    missing,
    isOptional: hasDefaultTargets,
    commonJs: isCommonJs && !(isNext && description["type"] === undefined),
    isNext,
  };
}

/** The members of a `package.json` that list packages. */
export const dependencySections = [
  "dependencies",
  "peerDependencies",
  "devDependencies",
  "optionalDependencies",
] as const;

/** The members of a `package.json`. */
export type Description = Readonly<Record<string, unknown>>;

/** Returns a member of a `package.json` that is an object; an empty object if it is not. */
export function memberOf(
  description: Description | undefined,
  section: string,
): Readonly<Record<string, unknown>> {
  const member = description?.[section];
  return isRecord(member) ? member : {};
}

/**
 * Returns the folder of the nearest `package.json` at or above a folder. The search ends at the
 * root of a repository and at the home folder, as that for a configuration.
 */
export function packageFolderAbove(folder: string): string | undefined {
  if (existsSync(join(folder, "package.json"))) return folder;
  return isRootFolder(folder) ? undefined : packageFolderAbove(dirname(folder));
}

/**
 * Returns the `package.json` in a folder; `undefined` if it does not exist or cannot be read.
 *
 * @throws InputError if it is not a JSON object
 */
export function descriptionIn(folder: string): Description | undefined {
  const path = join(folder, "package.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  return descriptionOf(text, path);
}

/**
 * Parses the text of a `package.json`, which may start with a byte order mark.
 *
 * @param file path of the file, as shown in messages
 * @throws InputError if the text is not a JSON object
 */
export function descriptionOf(text: string, file: string): Description {
  const hint = "Correct it";
  const value = parseJsonText(text, file, "the file", hint);
  if (isRecord(value)) return value;
  throw new InputError({ location: { file }, message: "the file is not a JSON object", hint });
}

/** Returns whether the project of a folder, or a project around it, lists a package. */
export function isListed(name: string, folder: string): boolean {
  const found = packageFolderAbove(folder);
  if (found === undefined) return false;
  const description = descriptionIn(found);
  const isHere = dependencySections.some((section) =>
    Object.hasOwn(memberOf(description, section), name),
  );
  return isHere || (!isRootFolder(found) && isListed(name, dirname(found)));
}

/** Returns whether a package is in the `node_modules` of a folder, or of a folder above it. */
function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, "node_modules", name))) return true;
  return dirname(folder) !== folder && isInstalled(name, dirname(folder));
}

/** Returns whether the search for a project, or for its configuration, ends at a folder. */
export function isRootFolder(folder: string): boolean {
  return existsSync(join(folder, ".git")) || folder === homedir() || dirname(folder) === folder;
}
