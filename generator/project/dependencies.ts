import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generatorName, libraryName } from "../core/library.js";
import {
  dependencySections,
  descriptionIn,
  isListed,
  memberOf,
  packageFolderAbove,
} from "../output/package.js";
import { writeAtomically } from "../output/replace.js";
import { packageVersion } from "../../support/package-folder.js";
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
  /** Writes the change. */
  readonly write: () => void;
}

/**
 * Plans the change of the nearest `package.json` that lists the library, which a deployed agent
 * needs, among the dependencies, and the generator, which it does not need, among the development
 * dependencies. The rest of the text does not change. Returns `undefined` if both packages are
 * where they belong, without a `package.json`, or if the option `runtime` does not select the
 * library.
 */
export function planPackages(
  project: string,
  runtime: string | undefined,
): PackageChange | undefined {
  if (libraryOf(runtime) !== libraryName) return undefined;
  const folder = packageFolderAbove(project);
  const description = folder === undefined ? undefined : descriptionIn(folder);
  if (folder === undefined || description === undefined) return undefined;
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
  // The parser cannot remove a member that is missing.
  const moved = (text: string, name: string, from: string, to: string): string => {
    const present = rangeIn(from, name);
    const rest = present === undefined ? text : withMember(text, [from, name], undefined);
    return withMember(rest, [to, name], present ?? usual);
  };
  const path = join(folder, "package.json");
  const text = readFileSync(path, "utf8");
  const withLibrary = isDeployed
    ? text
    : moved(text, libraryName, "devDependencies", "dependencies");
  const changed = isGeneratorListed
    ? withLibrary
    : moved(withLibrary, generatorName, "dependencies", "devDependencies");
  return {
    dependencies: isDeployed ? [] : [libraryName],
    devDependencies: isGeneratorListed ? [] : [generatorName],
    write: () => {
      writeAtomically(path, changed);
    },
  };
}
