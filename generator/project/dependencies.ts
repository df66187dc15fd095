import { readFileSync } from "node:fs";
import { join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
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
import { formattingOf } from "./config-edit.js";

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
 * where they belong, or without a `package.json`.
 */
export function planPackages(project: string): PackageChange | undefined {
  const folder = packageFolderAbove(project);
  const description = folder === undefined ? undefined : descriptionIn(folder);
  if (folder === undefined || description === undefined) return undefined;
  const rangeIn = (section: string, name: string): unknown =>
    Object.entries(memberOf(description, section)).find(([key]) => key === name)?.[1];
  const range = dependencySections
    .map((section) => rangeIn(section, generatorName))
    .find((value) => value !== undefined);
  const isNumber = typeof range === "string" && /^[~^]?\d/.test(range);
  const usual = isNumber ? range : `^${packageVersion()}`;
  const isDeployed = deployed.some((section) => rangeIn(section, libraryName) !== undefined);
  const isGeneratorDeployed = rangeIn("dependencies", generatorName) !== undefined;
  const isGeneratorListed = !isGeneratorDeployed && isListed(generatorName, folder);
  if (isDeployed && isGeneratorListed) return undefined;
  const move = (name: string, from: string, to: string, value: unknown): readonly Edit[] => [
    ...(rangeIn(from, name) === undefined ? [] : [{ keys: [from, name], value: undefined }]),
    { keys: [to, name], value },
  ];
  const present = rangeIn("devDependencies", libraryName) ?? usual;
  const edits = [
    ...(isDeployed ? [] : move(libraryName, "devDependencies", "dependencies", present)),
    ...(isGeneratorListed
      ? []
      : move(generatorName, "dependencies", "devDependencies", range ?? usual)),
  ];
  const path = join(folder, "package.json");
  const changed = edits.reduce(edited, readFileSync(path, "utf8"));
  return {
    dependencies: isDeployed ? [] : [libraryName],
    devDependencies: isGeneratorListed ? [] : [generatorName],
    write: () => {
      writeAtomically(path, changed);
    },
  };
}

/** Sets a member of a JSON file, or removes it without a value. */
interface Edit {
  readonly keys: readonly string[];
  readonly value: unknown;
}

function edited(text: string, { keys, value }: Edit): string {
  const formattingOptions = formattingOf(text);
  return applyEdits(text, modify(text, [...keys], value, { formattingOptions }));
}
