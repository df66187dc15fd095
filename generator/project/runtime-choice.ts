import { dirname, join } from "node:path";
import { generatorName, libraryForm, libraryName } from "../core/package-names.js";
import {
  descriptionIn,
  isListed,
  packageFolderAbove,
  type Description,
} from "../output/package.js";
import { packageVersion } from "../../support/package-folder.js";
import { InputError, type Location } from "../../support/diagnostics.js";
import { didYouMean } from "../../support/near-names.js";
import { resolvesInto } from "../../support/real-path.js";

/** Matches the name of a package: `support`, `@scope/support`. */
const packageName = /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*$/;

/**
 * Returns the package from which an output with the option `runtime` imports its support modules;
 * `undefined` if the output contains copies. Throws an `InputError` if the value cannot be the name
 * of a package.
 */
export function libraryOf(runtime: string | undefined, location?: Location): string | undefined {
  if (runtime === undefined || runtime === "copy") return undefined;
  if (runtime === "package") return libraryName;
  const hint = 'Set it to "package", so that all outputs import the same modules, or to "copy"';
  checkPackageName("runtime", runtime, hint, location);
  return runtime;
}

/** Throws an `InputError` if the value of an option cannot be the name of a package. */
export function checkPackageName(
  option: string,
  value: string,
  hint: string,
  location?: Location,
): void {
  if (packageName.test(value)) return;
  const message = `"${option}" is "${value}", which is not the name of a package`;
  throw new InputError({ ...(location && { location }), message, hint });
}

/**
 * Returns the value of the option `runtime` for an output folder if no option sets it: the output
 * imports the library if its project lists the library or has installed it.
 */
export function defaultRuntime(out: string): "package" | "copy" {
  return isListed(libraryName, out) || hasLibrary(out) ? "package" : "copy";
}

/**
 * Throws an `InputError` unless files in the folder `out` can import the package, and the package
 * has the modules that outputs of this generator import. `project` is the folder of the project. A
 * package that the project lists, but has not installed yet, is not checked.
 */
export function checkPackage(name: string, out: string, project: string): void {
  const found = packageAbove(name, out);
  if (found === undefined && isListed(name, out)) return;
  const instead = 'or set "runtime" to "copy"';
  if (found === undefined && !resolvesInto(out, [project])) {
    const message =
      `the output folder ${out} is outside the project ${project}, and "${name}" is not ` +
      "installed there";
    throw new InputError({ message, hint: `Choose an output folder in the project, ${instead}` });
  }
  if (found === undefined) {
    // The name may be misspelled, and a package with this name may be malicious, so do not suggest
    // an install command.
    const hint =
      name === libraryName
        ? `Run \`npm install ${name}@${packageVersion()}\`, ${instead}`
        : `${didYouMean(name, ["package", "copy"])}Use an installed package, ${instead}`;
    throw new InputError({
      message: `"${name}", which the output would import, is not installed for ${out}`,
      hint,
    });
  }
  const { version, forms } = found;
  if (forms !== undefined && forms[0] <= libraryForm && libraryForm <= forms[1]) return;
  const state =
    forms === undefined ? "does not contain the modules that the output imports" : ageOf(forms);
  const hint =
    name === generatorName
      ? 'Set "runtime" to "package": the modules are now in the package ' + libraryName
      : `Run \`npm install ${libraryName}@${packageVersion()}\`, ${instead}`;
  throw new InputError({ message: `the package "${name}" ${version} ${state}`, hint });
}

type Forms = readonly [first: number, last: number];

function ageOf([, last]: Forms): string {
  return last < libraryForm ? "is older than the output" : "is newer than the output";
}

/** Returns whether files of a folder can import the library. */
function hasLibrary(out: string): boolean {
  return packageAbove(libraryName, out)?.forms !== undefined;
}

/**
 * Returns the version of the package that files in a folder import under a name, and the output
 * formats that the package supports; `undefined` if the package is not installed.
 */
function packageAbove(
  name: string,
  folder: string,
): { readonly version: string; readonly forms: Forms | undefined } | undefined {
  const around = packageFolderAbove(folder);
  const own = around === undefined ? undefined : descriptionIn(around);
  // A package may import itself by its name.
  const found = own?.["name"] === name ? own : installedAbove(name, folder);
  return found && { version: String(found["version"]), forms: formsOf(found) };
}

/** Returns the `package.json` of the package that is installed for the files in a folder. */
function installedAbove(name: string, folder: string): Description | undefined {
  const found = descriptionIn(join(folder, "node_modules", name));
  if (found !== undefined || dirname(folder) === folder) return found;
  return installedAbove(name, dirname(folder));
}

function formsOf({ outputForms }: Description): Forms | undefined {
  if (!Array.isArray(outputForms)) return undefined;
  const [first, last] = outputForms as readonly unknown[];
  return typeof first === "number" && typeof last === "number" ? [first, last] : undefined;
}
