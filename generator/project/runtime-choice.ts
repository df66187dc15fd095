import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { libraryForm, libraryName } from "../core/library.js";
import { InputError } from "../../support/diagnostics.js";
import { didYouMean } from "../../support/near-names.js";
import { resolvesInto } from "../../support/real-path.js";
import { isRecord } from "../../support/values.js";

/** Location of an output's support modules: copies in the output, a folder shared with other outputs, or a package. */
export type RuntimeChoice =
  | { readonly kind: "copy" }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "package"; readonly name: string };

/**
 * Matches the name of a package: `support`, `@scope/support`. A string is a path if it starts with a dot, or contains a
 * slash and no scope.
 */
const packageName = /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*$/;

/** Parses the value of the option `runtime`. Paths are relative to `folder`. */
export function runtimeChoice(value: string | undefined, folder: string): RuntimeChoice {
  if (value === undefined || value === "copy") return { kind: "copy" };
  if (value === "package") return { kind: "package", name: libraryName };
  return packageName.test(value) ? { kind: "package", name: value } : { kind: "folder", path: resolve(folder, value) };
}

/**
 * Throws an `InputError` unless files in the folder `out` can import the package, and the package has the modules that
 * outputs of this generator import. `project` is the folder of the project.
 */
export function checkPackage(name: string, out: string, project: string): void {
  const found = packageAbove(name, out);
  const instead = 'or set "runtime" to "copy"';
  if (found === undefined && !resolvesInto(out, [project])) {
    const message = `the output folder ${out} is outside the project ${project}, and "${name}" is not installed there`;
    throw new InputError({ message, hint: `Choose an output folder in the project, ${instead}` });
  }
  if (found === undefined) {
    // The name may be misspelled, and a package with this name may be malicious, so do not suggest an install command.
    const hint =
      name === libraryName
        ? `Run \`npm install ${name}\`, ${instead}`
        : `${didYouMean(name, ["package", "copy"])}Use an installed package, or "./${name}" for a folder, ${instead}`;
    throw new InputError({ message: `"${name}", which the output would import, is not installed for ${out}`, hint });
  }
  const { version, forms } = found;
  if (forms !== undefined && forms[0] <= libraryForm && libraryForm <= forms[1]) return;
  const state = forms === undefined ? "does not contain the modules that the output imports" : ageOf(forms);
  throw new InputError({
    message: `the package "${name}" ${version} ${state}`,
    hint: `Install the version of ${libraryName} that runs this command, ${instead}`,
  });
}

type Forms = readonly [first: number, last: number];

function ageOf([, last]: Forms): string {
  return last < libraryForm ? "is older than the output" : "is newer than the output";
}

/** Returns whether files of a folder can import the package of this generator. */
export function hasLibrary(out: string): boolean {
  return packageAbove(libraryName, out)?.forms !== undefined;
}

/**
 * Returns the version of the package that files in a folder import under a name, and the output formats that the
 * package supports; `undefined` if the package is not installed.
 */
function packageAbove(
  name: string,
  folder: string,
): { readonly version: string; readonly forms: Forms | undefined } | undefined {
  const own = descriptionIn(folder);
  // A package may import itself by its name.
  const found = own?.["name"] === name ? own : descriptionIn(join(folder, "node_modules", name));
  if (found !== undefined) return { version: String(found["version"]), forms: formsOf(found) };
  return dirname(folder) === folder ? undefined : packageAbove(name, dirname(folder));
}

function descriptionIn(folder: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function formsOf({ outputForms }: Readonly<Record<string, unknown>>): Forms | undefined {
  if (!Array.isArray(outputForms)) return undefined;
  const [first, last] = outputForms as readonly unknown[];
  return typeof first === "number" && typeof last === "number" ? [first, last] : undefined;
}
