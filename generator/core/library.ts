import type { Protocol } from "../protocol/model/types.js";
import { mainTexts, type SpecSource } from "../input/source.js";
import { Imports } from "../emit/imports.js";
import type { FilePlan } from "../emit/plan.js";
import { runtime } from "../emit/runtime-modules.js";

/** The package that has the runtime and the task kit for outputs that do without copies. */
export const libraryName = "a2a-codegen";

/**
 * The form of outputs that import a library. It changes if a library of today no longer serves an output of yesterday.
 * `templates/runtime/base/library.ts` lists the forms that a library serves.
 */
export const libraryForm = 1;

/** Returns whether an import path of the runtime is the name of a package. */
export function isPackage(runtimeImport: string | undefined): runtimeImport is string {
  return runtimeImport !== undefined && !runtimeImport.startsWith(".");
}

/** Returns the subpath of a package under which it exports a module of the runtime or the kit. */
export function subpathOf(library: string, module: string): string {
  return `${library}/${module.replace(/\/index$/, "")}`;
}

/**
 * Returns whether the errors and the task kit of the library serve a protocol: its interface is that of the version that
 * the library is compiled with. Documentation and names of earlier versions may differ.
 */
export function fitsLibrary(
  one: { readonly source: SpecSource; readonly protocol: Protocol },
  library: { readonly source: SpecSource; readonly read: () => Protocol },
): boolean {
  if (one.protocol.binding?.tasks === undefined) return false;
  const textsOf = (source: SpecSource): string => JSON.stringify(mainTexts(source).map(({ text }) => text));
  if (textsOf(one.source) === textsOf(library.source)) return true;
  return interfaceOf(one.protocol) === interfaceOf(library.read());
}

/** Members of a protocol and of its parts that do not change its interface. */
const unrelated: ReadonlySet<string> = new Set([
  ...["docs", "errorDocs", "sample", "since", "until", "deprecated", "version", "versions", "locations"],
  ...["title", "sources", "losses", "omissions", "legacy", "removed", "subjects"],
]);

function interfaceOf(protocol: Protocol): string {
  return JSON.stringify(protocol, (key, value: unknown) => (unrelated.has(key) ? undefined : value));
}

/** Returns the plan of a file that exports a module of the library under the path that a copy would have. */
export function libraryPlan(module: string): FilePlan {
  const imports = new Imports(`${module}.ts`, []);
  imports.reexportAll(module);
  return imports.plan("facade", {});
}

/** Returns the plan of the file with the errors, which all outputs that import the library have in common. */
export function libraryErrorsPlan(): FilePlan {
  const imports = new Imports("errors.ts", []);
  imports.reexportAll("errors");
  const check = imports.value(runtime.checkLibrary);
  return imports.plan("library/errors", { check, form: String(libraryForm) });
}
