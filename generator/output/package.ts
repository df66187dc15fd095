import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../support/values.js";
import type { OutputFile } from "../core/contract.js";

/** Requirements of the output that the project does not meet. */
export interface PackageNeeds {
  /** Packages that the output imports, but that are not dependencies of the project. */
  readonly missing: readonly string[];
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

/** Compares the output with the nearest `package.json` above its folder. */
export function packageNeeds(files: readonly OutputFile[], out: string): PackageNeeds {
  const description = nearestPackage(out);
  const sections = ["dependencies", "peerDependencies", "devDependencies", "optionalDependencies"];
  // A package with `exports` can import itself by its name.
  const own = description?.["exports"] === undefined ? [] : [description["name"]];
  const known = [
    ...own,
    ...sections.flatMap((section) => Object.keys(memberOf(description, section))),
  ];
  const imported = files.flatMap(({ text }) =>
    [...text.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)(?:\/[^"]*)?";$/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  const missing = [...new Set(imported)].sort().filter((name) => !known.includes(name));
  const isNext = known.includes("next");
  const isCommonJs = description !== undefined && description["type"] !== "module";
  return {
    missing,
    commonJs: isCommonJs && !(isNext && description["type"] === undefined),
    isNext,
  };
}

function memberOf(
  description: Readonly<Record<string, unknown>> | undefined,
  section: string,
): object {
  const member = description?.[section];
  return isRecord(member) ? member : {};
}

function nearestPackage(folder: string): Readonly<Record<string, unknown>> | undefined {
  const isNearest = existsSync(join(folder, "package.json")) || dirname(folder) === folder;
  return isNearest ? descriptionIn(folder) : nearestPackage(dirname(folder));
}

/** Returns the `package.json` in a folder; `undefined` if it does not exist or is invalid. */
export function descriptionIn(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
