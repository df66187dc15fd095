import type { Protocol } from "../protocol/model/types.js";
import { mainTexts, type SpecSource } from "../input/source.js";
import { Imports } from "../emit/imports.js";
import type { FilePlan } from "../emit/plan.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import type { SharedErrors } from "../targets/errors/errors.js";

/** The package that exports the runtime and the task kit for outputs without copies. */
export const libraryName = "a2a-codegen-runtime";

/** The package of this generator. */
export const generatorName = "a2a-codegen";

/**
 * The format of outputs that import a library. The format changes if a new library no longer
 * supports earlier outputs. `library/runtime/base/library.ts` lists the formats that a library
 * supports.
 */
export const libraryForm = 1;

/** The entries of the library that export the modules of the kit, by the paths of the modules. */
const kitEntries: Readonly<Record<string, string>> = {
  "kit/unbound": "kit",
  "kit/client/unbound": "client",
  "kit/stores/index": "stores",
  "kit/testing/turn-for": "testing",
  "kit/testing/store-contract": "testing",
};

/**
 * The modules of `library/internal/` that export the modules of the runtime, by the paths of these
 * below the folder of the runtime. The first prefix of a path decides.
 */
const entries: readonly (readonly [prefix: string, entry: string])[] = [
  ["base/", "core"],
  ["protocol/", "core"],
  ["schema/", "schema"],
  ["protobuf/", "protobuf"],
  ["client/", "client"],
  ["http/client", "client"],
  ["http/", "server"],
  ["server/", "server"],
  ["versions/", "versions"],
];

/** The module for servers on Node, which an entry for all of Node exports. */
const nodeServer = "http/adapters/node";

/**
 * The folder of each transport is an entry of its own, which only outputs with the transport load.
 */
const transportFolder = /^bindings\/([^/]+)\//;

/** Returns the subpath under which a package exports a module of the runtime or the kit. */
export function subpathOf(library: string, module: string): string {
  if (!module.startsWith(runtimeFolder))
    return `${library}/${kitEntries[module] ?? module.replace(/^kit\//, "")}`;
  const path = module.slice(runtimeFolder.length);
  if (path === nodeServer) return `${library}/node`;
  const entry =
    transportFolder.exec(path)?.[1] ?? entries.find(([prefix]) => path.startsWith(prefix))?.[1];
  if (entry === undefined) throw new Error(`No entry of the library exports the module ${path}`);
  return `${library}/internal/${entry}`;
}

/**
 * Returns whether an output with a library imports a module from the library. Other outputs contain
 * a copy of such a module.
 */
export function isInLibrary(module: string, kit: ReadonlyMap<string, unknown>): boolean {
  return module.startsWith(runtimeFolder) || kit.has(module);
}

/**
 * Returns the errors of a protocol that the library also contains. Compares them with the errors of
 * the protocol for which the library is compiled, and ignores differences in documentation.
 */
export function sharedErrors(
  one: { readonly source: SpecSource; readonly protocol: Protocol },
  library: { readonly source: SpecSource; readonly read: () => Protocol },
  hasKit: boolean,
): SharedErrors {
  const textsOf = (source: SpecSource): string =>
    JSON.stringify(mainTexts(source).map(({ text }) => text));
  const isSame = textsOf(one.source) === textsOf(library.source);
  const { binding } = isSame ? one.protocol : library.read();
  const rowOf = ({ docs: _, ...row }: NonNullable<typeof binding>["errors"][number]): string =>
    JSON.stringify(row);
  const known = new Map(binding?.errors.map((error) => [error.name, rowOf(error)]));
  const errors = one.protocol.binding?.errors ?? [];
  return {
    form: String(libraryForm),
    all: isSame,
    same: new Set(
      errors.filter((error) => known.get(error.name) === rowOf(error)).map(({ name }) => name),
    ),
    // Modules of the kit throw and catch the error classes of the library, so the classes in the
    // output extend them.
    extended: new Set(
      hasKit ? errors.filter(({ name }) => known.has(name)).map(({ name }) => name) : [],
    ),
  };
}

/** Returns the plan of a file that reexports a module of the library at the path of its copy. */
export function libraryPlan(module: string): FilePlan {
  const imports = new Imports(`${module}.ts`, []);
  imports.reexportAll(module);
  return imports.plan("facade", {});
}
