import type { Protocol } from "../protocol/model/types.js";
import { mainTexts, type SpecSource } from "../input/source.js";
import { Imports } from "../emit/imports.js";
import type { FilePlan } from "../emit/plan.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import type { SharedErrors } from "../targets/errors/errors.js";

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

/** Modules that a library exports under other subpaths than their paths below the output folder. */
const subpaths: Readonly<Record<string, string>> = {
  "kit/unbound": "kit",
  "kit/client/unbound": "kit/client",
  "kit/testing/turn-for": "kit/testing",
};

/** Returns the subpath of a package under which it exports a module of the runtime or the kit. */
export function subpathOf(library: string, module: string): string {
  return `${library}/${subpaths[module] ?? module}`;
}

/** Returns whether an output with a library imports a module from it: a module that others have as a copy. */
export function isInLibrary(module: string, kit: ReadonlyMap<string, unknown>): boolean {
  return module.startsWith(runtimeFolder) || kit.has(module);
}

/**
 * Returns which errors of a protocol the library has, compared with those of the protocol that the library is compiled
 * with. Documentation may differ.
 */
export function sharedErrors(
  one: { readonly source: SpecSource; readonly protocol: Protocol },
  library: { readonly source: SpecSource; readonly read: () => Protocol },
  hasKit: boolean,
): SharedErrors {
  const textsOf = (source: SpecSource): string => JSON.stringify(mainTexts(source).map(({ text }) => text));
  const isSame = textsOf(one.source) === textsOf(library.source);
  const { binding } = isSame ? one.protocol : library.read();
  const rowOf = ({ docs: _, ...row }: NonNullable<typeof binding>["errors"][number]): string => JSON.stringify(row);
  const known = new Map(binding?.errors.map((error) => [error.name, rowOf(error)]));
  const errors = one.protocol.binding?.errors ?? [];
  return {
    form: String(libraryForm),
    all: isSame,
    same: new Set(errors.filter((error) => known.get(error.name) === rowOf(error)).map(({ name }) => name)),
    // Modules of the kit throw and catch the classes of the library, so those of the output are among them.
    extended: new Set(hasKit ? errors.filter(({ name }) => known.has(name)).map(({ name }) => name) : []),
  };
}

/** Returns the plan of a file that exports a module of the library under the path that a copy would have. */
export function libraryPlan(module: string): FilePlan {
  const imports = new Imports(`${module}.ts`, []);
  imports.reexportAll(module);
  return imports.plan("facade", {});
}
