import { isPlatform, statementLines } from "../emit/imports.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import type { FilePlan, Statement } from "../emit/plan.js";
import { quote } from "../emit/text.js";
import { TemplateError, type Renderer } from "../render/render.js";
import { InputError } from "../support/diagnostics.js";
import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { isPackage, subpathOf } from "./library.js";

const endings = { js: ".js", ts: ".ts", none: "" } as const;

/** Returns the extension of module specifiers in imports. */
export function endingOf(extension: GenerateOptions["importExtension"]): string {
  return endings[extension];
}

/**
 * Returns the specifier with which a file of the output imports a module of the output. Both are identified by their
 * paths below the output folder. Depending on the options, runtime modules may be outside that folder.
 */
export function specifierFrom(
  file: string,
  module: string,
  { importExtension, runtimeImport }: Pick<GenerateOptions, "importExtension" | "runtimeImport">,
): string {
  const ending = endingOf(importExtension);
  if (runtimeImport !== undefined && module.startsWith(runtimeFolder)) {
    if (isPackage(runtimeImport)) return subpathOf(runtimeImport, module);
    return `${folderFrom(file, runtimeImport)}/${module.slice(runtimeFolder.length)}${ending}`;
  }
  const [from, to] = [file.split("/"), module.split("/")];
  let shared = 0;
  while (shared < from.length - 1 && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  const up = from.length - 1 - shared;
  return (up === 0 ? "./" : "../".repeat(up)) + to.slice(shared).join("/") + ending;
}

/** Returns the path with which a file refers to a folder, given the path with which `index.ts` refers to the folder. */
function folderFrom(file: string, folder: string): string {
  const up = "../".repeat(file.split("/").length - 1);
  if (up === "") return folder;
  return up + (folder.startsWith("./") ? folder.slice("./".length) : folder);
}

/** The first lines of a file, and the specifiers with which the file imports other modules. */
export interface Head {
  readonly header: string;
  readonly specifierOf: (module: string) => string;
}

/**
 * Renders a planned file. `overrides` contains the names with which messages refer to the user's templates.
 *
 * @throws InputError if a template is invalid, with its location
 */
export function renderFile(
  renderer: Renderer,
  { path, template, view, imports, exports, specifiers = {} }: FilePlan,
  { header, specifierOf }: Head,
  overrides: Assets["overrides"],
): OutputFile {
  const lines = (statements: readonly Statement[]): string[] =>
    statementLines(statements, (module) => (isPlatform(module) ? module : specifierOf(module)));
  const quoted = Object.entries(specifiers).map(([key, module]) => [key, quote(specifierOf(module))] as const);
  const statements = { imports: lines(imports), exports: lines(exports), specifiers: Object.fromEntries(quoted) };
  try {
    return { path, text: renderer.render(template, { ...view, header, ...statements }) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template: failed, line, column, message } = error;
    const location = {
      file: overrides?.get(failed) ?? `templates/${failed}.hbs`,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    };
    throw new InputError({
      location,
      message: `the template cannot be rendered: ${message}`,
      hint: "Correct the template",
    });
  }
}
