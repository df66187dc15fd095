import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { generatorName, libraryName } from "../core/package-names.js";
import {
  dependencySections,
  descriptionOf,
  isListed,
  memberOf,
  packageFolderAbove,
} from "../output/package.js";
import { replaceFile } from "../output/replace.js";
import { InputError } from "../../support/diagnostics.js";
import { packageVersion } from "../../support/package-folder.js";
import { isRecord } from "../../support/values.js";
import { withMember } from "./config-edit.js";
import { libraryOf } from "./runtime-choice.js";

/** Members of a `package.json` that npm also installs for production. */
const deployed = ["dependencies", "peerDependencies", "optionalDependencies"] as const;

/** The packages that `init` lists in a `package.json`, by the member that lists them. */
export interface ListedPackages {
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

/** A change of a `package.json`. */
export interface PackageChange extends ListedPackages {
  /** Path of the `package.json`, relative to the folder of the project. */
  readonly file: string;
  /**
   * Writes the change. Reads the text again, so that changes made in the meantime, for example by
   * `npm install`, are kept.
   */
  readonly write: () => void;
}

/**
 * Plans the change of the nearest `package.json` that lists the library, which a deployed agent
 * needs, among the dependencies, and the generator, which it does not need, among the development
 * dependencies. The rest of the text does not change. Returns `undefined` if both packages are
 * where they belong, without a `package.json`, or if the option `runtime` does not select the
 * library. Follows a link, and keeps the mode of the file.
 *
 * @throws InputError if the `package.json` is read-only or not a JSON object, or if a list of
 *   packages is not an object
 */
export function planPackages(
  project: string,
  runtime: string | undefined,
): PackageChange | undefined {
  if (libraryOf(runtime) !== libraryName) return undefined;
  const folder = packageFolderAbove(project);
  const planned = folder === undefined ? undefined : changeIn(folder, project);
  if (folder === undefined || planned === undefined) return undefined;
  const path = join(folder, "package.json");
  const file = relative(project, path);
  refuseReadOnly(path, file);
  const { dependencies, devDependencies } = planned;
  return {
    file,
    dependencies,
    devDependencies,
    write: () => {
      const change = changeIn(folder, project);
      if (change !== undefined) replaceFile(path, change.text);
    },
  };
}

/** Throws an `InputError` if a file is read-only, because a rename would replace it anyway. */
function refuseReadOnly(path: string, file: string): void {
  if ((statSync(path).mode & 0o222) !== 0) return;
  const message = "the file is read-only, so it cannot list the packages that the output imports";
  const hint = "Make it writable, or use copies with --runtime copy";
  throw new InputError({ location: { file }, message, hint });
}

/** Returns the changed text of the `package.json` in a folder; `undefined` if nothing changes. */
function changeIn(
  folder: string,
  project: string,
): (ListedPackages & { readonly text: string }) | undefined {
  const path = join(folder, "package.json");
  const file = relative(project, path);
  const text = readFileSync(path, "utf8");
  const description = descriptionOf(text, file);
  const rangeIn = (section: string, name: string): unknown => memberOf(description, section)[name];
  const range = dependencySections
    .map((section) => rangeIn(section, generatorName))
    .find((value) => value !== undefined);
  const isNumber = typeof range === "string" && /^[~^]?\d/.test(range);
  const usual = isNumber ? range : `^${packageVersion()}`;
  const isDeployed = deployed.some((section) => rangeIn(section, libraryName) !== undefined);
  const isGeneratorDeployed = rangeIn("dependencies", generatorName) !== undefined;
  const isGeneratorListed = !isGeneratorDeployed && isListed(generatorName, folder);
  if (isDeployed && isGeneratorListed) return undefined;
  for (const section of ["dependencies", "devDependencies"] as const) {
    if (description[section] === undefined || isRecord(description[section])) continue;
    throw new InputError({
      location: { file },
      message: `"${section}" is not an object, so it cannot list the packages of the output`,
      hint: `Remove "${section}", or change it to an object with the version of each package`,
    });
  }
  // The parser cannot remove a member that is missing.
  const moved = (before: string, name: string, from: string, to: string): string => {
    const present = rangeIn(from, name);
    const rest = present === undefined ? before : withMember(before, [from, name], undefined);
    return withMember(rest, [to, name], present ?? usual);
  };
  const withLibrary = isDeployed
    ? text
    : moved(text, libraryName, "devDependencies", "dependencies");
  return {
    dependencies: isDeployed ? [] : [libraryName],
    devDependencies: isGeneratorListed ? [] : [generatorName],
    text: isGeneratorListed
      ? withLibrary
      : moved(withLibrary, generatorName, "dependencies", "devDependencies"),
  };
}
