import type { ErrorDef, Protocol } from "../protocol/model/types.js";
import { mainTexts, type SpecSource } from "../input/source.js";
import { Imports } from "../emit/imports.js";
import type { FilePlan } from "../emit/plan.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import { errorsFile, isOfAgents, type SharedErrors } from "../targets/errors/errors.js";
import type { Assets } from "./contract.js";
import { libraryForm } from "./package-names.js";
import { readProtocol } from "./read.js";

/** The entries of the library that export the modules of the kit, by the paths of the modules. */
const kitEntries: Readonly<Record<string, string>> = {
  "kit/unbound": "kit",
  "kit/client/unbound": "client",
  "kit/stores/index": "stores",
  "kit/testing/unbound": "testing",
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

/** A protocol, and the specification that declares it. */
interface ProtocolSource {
  readonly source: SpecSource;
  readonly protocol: Protocol;
}

/**
 * Returns the files of an output with a library: the given files, with modules that reexport the
 * library in place of the `kit` modules, and with errors that the library shares.
 */
export function withLibrary(
  files: readonly FilePlan[],
  kit: readonly string[],
  own: ProtocolSource,
  librarySource: Assets["librarySource"],
): FilePlan[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const replacements = [...new Set(kit)].map(libraryPlan);
  const { binding } = own.protocol;
  if (binding !== undefined && librarySource !== undefined && byPath.has(errorsPath))
    replacements.push(errorsFile(binding, sharedErrors(own, librarySource(), hasKit(files))));
  for (const file of replacements) byPath.set(file.path, file);
  return [...byPath.values()];
}

const errorsPath = "errors.ts";

function hasKit(files: readonly FilePlan[]): boolean {
  return files.some(({ path }) => path.startsWith("kit/"));
}

/**
 * Returns the errors of a protocol that the library also contains. Compares them with the errors of
 * the protocol for which the library is compiled, and ignores differences in documentation.
 */
function sharedErrors(
  own: ProtocolSource,
  librarySource: SpecSource,
  isKitUsed: boolean,
): SharedErrors {
  const isSame = specificationOf(own.source) === specificationOf(librarySource);
  const library = isSame ? own.protocol : readProtocol(librarySource);
  // The errors of other services only have the same names by chance.
  const shared = isOfAgents(own.protocol.binding) ? (library.binding?.errors ?? []) : [];
  const known = new Map(shared.map((error) => [error.name, rowOf(error)]));
  const errors = own.protocol.binding?.errors ?? [];
  const namesOf = (shared: readonly ErrorDef[]): Set<string> =>
    new Set(shared.map(({ name }) => name));
  return {
    form: String(libraryForm),
    all: isSame,
    same: namesOf(errors.filter((error) => known.get(error.name) === rowOf(error))),
    // Modules of the kit throw and catch the error classes of the library, so the classes in the
    // output extend them.
    extended: namesOf(isKitUsed ? errors.filter(({ name }) => known.has(name)) : []),
  };
}

function specificationOf(source: SpecSource): string {
  return JSON.stringify(mainTexts(source).map(({ text }) => text));
}

function rowOf({ docs: _, ...row }: ErrorDef): string {
  return JSON.stringify(row);
}

/** Returns the plan of a file that reexports a module of the library at the path of its copy. */
function libraryPlan(module: string): FilePlan {
  const imports = new Imports(`${module}.ts`, []);
  imports.reexportAll(module);
  return imports.plan("facade", {});
}
