import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { packageVersion } from "../../support/package-folder.js";
import {
  entryOf,
  protoPathsOf,
  specChoice,
  type Config,
  type SingleConfig,
  type SpecChoice,
  type SpecEntry,
} from "./config.js";
import { loadConfig, type LoadedConfig } from "./config-file.js";
import { refuseWorkspaceRoot } from "./mistakes.js";
import { refuseForeignPaths } from "./own-paths.js";
import { checkPackage, defaultRuntime, libraryOf } from "./runtime-choice.js";
import { InputError, type Location } from "../../support/diagnostics.js";
import { defaults, type GenerateOptions } from "../core/contract.js";
import { libraryName } from "../core/package-names.js";
import { bundledDigest } from "../input/bundled-digests.js";
import { movedExtension } from "../input/extension.js";
import type { SpecRegistry } from "../input/registry.js";
import { withSlashes } from "../../support/paths.js";
import { isFolder } from "../../support/files.js";
import { defined } from "../../support/values.js";

/** Options for `generate`. They take precedence over the configuration. */
export interface GenerateRequest extends SingleConfig {
  readonly cwd: string;
  /**
   * Path of the configuration file, or `false` to use no configuration. By default, the file is
   * searched for from `cwd`.
   */
  readonly config?: string | false;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** Whether to compare only, without changing the project. */
  readonly check?: boolean;
  /** Whether to generate an output that is up to date, because the report contains all details. */
  readonly verbose?: boolean | undefined;
  /** Whether the caller adds the library to the project, so that it need not be installed yet. */
  readonly addsLibrary?: boolean;
}

/**
 * Request for several specifications: a list of versions and paths, or `all` for the bundled
 * specifications.
 */
export type ListedRequest = Omit<GenerateRequest, "spec"> & { readonly spec?: Config["spec"] };

const defaultOut = join("src", "a2a");

/** Settings of a run, combined from the command line, the configuration and the defaults. */
export interface Settings {
  /** Folder that the paths of the specification, its files and the extensions are relative to. */
  readonly folder: string;
  /** Folder of the configuration; if no configuration exists, the working directory. */
  readonly configFolder: string;
  /** Path of the configuration file, if a file was found. */
  readonly configFile?: string;
  readonly spec: string;
  /** Paths of the protos and folders of a run with several packages, in place of `spec`. */
  readonly protos?: readonly string[];
  readonly files: Omit<SpecChoice, "spec">;
  /** Other versions that the output also supports. */
  readonly versions: readonly string[];
  /** Extensions, as `FILE` or `URI=FILE` with the paths of their JSON Schemas. */
  readonly extensions: readonly string[];
  readonly out: string;
  readonly templates?: string;
  readonly agent?: string;
  readonly options: Omit<GenerateOptions, "targets"> & { readonly targets?: readonly string[] };
  /**
   * Returns the location of a target's name in the configuration; absent if the targets come from
   * the request.
   */
  readonly locationOfTarget?: (name: string) => Location;
}

/** Combines the command line and the configuration into the settings for one specification. */
export async function resolveSettings(request: GenerateRequest): Promise<Settings> {
  const given = await gather(request);
  const base = baseOf(request, given);
  const listed = request.spec ?? given.config.spec;
  const protos = typeof listed === "object" ? protosIn(listed, base) : undefined;
  if (protos !== undefined) return packageSettings(request, given, protos);
  const choice = specChoice(request, given.config);
  return isProtoFolder(choice.spec, base)
    ? packageSettings(request, given, [choice.spec])
    : settingsOf(request, given, choice, given.out);
}

/** Returns whether a specification is a folder, whose name is not the name of a version. */
function isProtoFolder(spec: string, base: string): boolean {
  return isFolder(resolve(base, spec)) && bundledDigest(spec) === undefined;
}

/** Returns the folder that the paths of specifications are relative to. */
function baseOf(request: ListedRequest, { configFolder }: Pick<Given, "configFolder">): string {
  return request.spec === undefined ? configFolder : request.cwd;
}

/** Returns the settings of a run for the packages of protos and folders. */
function packageSettings(
  request: ListedRequest,
  given: Given,
  protos: readonly string[],
): Settings {
  const { config } = given;
  for (const name of ["schema", "versions", "extensions"] as const) {
    if (request[name] === undefined && config[name] === undefined) continue;
    const option = request[name] === undefined ? `"${name}" of the configuration` : `--${name}`;
    throw new InputError({
      message: `${option} cannot be used with the packages of several protos`,
      hint: "Remove it, or choose one specification with --spec",
    });
  }
  const manifest = request.manifest ?? (request.spec === undefined ? config.manifest : undefined);
  const entry = { spec: protos.join(", "), ...(manifest !== undefined && { manifest }) };
  return { ...settingsOf(request, given, entry, given.out), protos };
}

/**
 * Combines the command line and the configuration into the settings for each specification.
 * `--spec all` selects the bundled specifications. Each specification in a list has its own output
 * folder. The packages of a list that only contains protos and folders have one output.
 */
export async function resolveEachSettings(
  listing: ListedRequest,
  registry: SpecRegistry,
): Promise<Settings[]> {
  const { spec: requested, ...request } = listing;
  const given = await gather(listing);
  const listed = requested ?? given.config.spec;
  const specs = listed === "all" ? registry.list().map(({ id }) => id) : listed;
  if (typeof specs !== "object")
    return [
      await resolveSettings({
        ...request,
        ...(requested !== undefined && specs !== undefined && { spec: specs }),
      }),
    ];
  const protos = protosIn(specs, baseOf(listing, given));
  if (protos !== undefined) return [packageSettings(listing, given, protos)];
  refuseShared(listing, given.config);
  const { locationOf } = given;
  const entries = specs.map(entryOf);
  const at: At = (spec) =>
    requested === undefined && locationOf !== undefined
      ? { location: locationOf("spec", spec) }
      : {};
  const names = entries.map(({ spec }) => spec);
  const folders = foldersOf(names, registry, at);
  return entries.map((entry, index) =>
    settingsOf(listing, given, entry, join(given.out, folders[index] ?? entry.spec)),
  );
}

/**
 * Returns the paths in a list, if all of them are protos or folders, and no entry has other keys.
 */
function protosIn(
  specs: readonly (string | SpecEntry)[],
  base: string,
): readonly string[] | undefined {
  const isProto = (entry: SpecEntry): boolean =>
    Object.keys(entry).length === 1 &&
    (entry.spec.endsWith(".proto") || isProtoFolder(entry.spec, base));
  const entries = specs.map(entryOf);
  return entries.every(isProto) ? entries.map(({ spec }) => spec) : undefined;
}

/**
 * Throws an `InputError` if a request for several specifications names files that belong to a
 * single specification.
 */
function refuseShared({ spec: requested, ...request }: ListedRequest, config: Config): void {
  for (const name of ["agent", "manifest", "schema"] as const) {
    const isConfigured = requested === undefined && config[name] !== undefined;
    if (request[name] === undefined && !isConfigured) continue;
    const option = isConfigured ? `"${name}" of the configuration` : `--${name}`;
    const hint = isConfigured
      ? `Move it to its specification: { "spec": "…", "${name}": "…" }`
      : "Remove it, or choose one specification with --spec";
    throw new InputError({ message: `${option} cannot be used with several specifications`, hint });
  }
}

/**
 * Returns the location at which the configuration lists a specification, as a part of a diagnostic.
 */
type At = (spec: string) => { readonly location?: Location };

/**
 * Returns the name of the output folder for each specification. Throws an `InputError` if two
 * specifications are the same, or would use the same folder.
 */
function foldersOf(specs: readonly string[], registry: SpecRegistry, at: At): string[] {
  const ids = specs.map((spec) => registry.idOf(spec));
  const folders = specs.map((spec) =>
    basename(spec, extname(spec) === ".json" || extname(spec) === ".proto" ? extname(spec) : ""),
  );
  for (const [index, spec] of specs.entries()) {
    const [id, folder = ""] = [ids[index], folders[index]];
    const first = id === undefined ? index : ids.indexOf(id);
    if (first < index) {
      const message = `"${specs[first] ?? ""}" and "${spec}" are the same specification`;
      throw new InputError({ ...at(spec), message, hint: "Remove one of them" });
    }
    if (folders.indexOf(folder) < index) {
      const message = `two specifications would be generated into the folder "${folder}"`;
      throw new InputError({
        ...at(spec),
        message,
        hint: "List each specification once, and rename files with equal names",
      });
    }
  }
  return folders;
}

interface Given {
  readonly config: Config;
  /** Folder of the configuration. */
  readonly configFolder: string;
  readonly configFile: string | undefined;
  readonly locationOf: LoadedConfig["locationOf"];
  readonly out: string;
  readonly templates: string | undefined;
  /**
   * Package from which the output imports its support modules; `undefined` if the output contains
   * copies.
   */
  readonly library: string | undefined;
  /** Returns the path of the file that implements the service in an output folder, if any. */
  readonly agentOf: (out: string) => string | undefined;
}

async function gather({ spec, ...request }: ListedRequest): Promise<Given> {
  const loaded: LoadedConfig =
    request.config === false
      ? { config: {}, folder: request.cwd }
      : await loadConfig(request.cwd, request.config);
  const named = Object.entries({ spec, ...request }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  refuseForeignPaths(loaded, { cwd: request.cwd, replaced: new Set(named) });
  const { config, folder: configFolder, file: configFile, locationOf } = loaded;
  type Key = "out" | "templates" | "agent";
  const pathIn = (folder: string, path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(folder, path);
  const requested = (key: Key): string | undefined => pathIn(request.cwd, request[key]);
  const configured = (key: Key): string | undefined => pathIn(configFolder, config[key]);
  const usual = configured("out") ?? resolve(configFolder, defaultOut);
  const out = requested("out") ?? usual;
  if (configFile === undefined && request.out === undefined)
    refuseWorkspaceRoot(configFolder, usual);
  return {
    config,
    configFolder,
    configFile,
    locationOf,
    out,
    templates: requested("templates") ?? configured("templates"),
    library:
      request.runtime === undefined
        ? libraryOf(config.runtime ?? defaultRuntime(out), locationOf?.("runtime"))
        : libraryOf(request.runtime),
    // The configured agent only implements the service in the configured output folder.
    agentOf: (out) => requested("agent") ?? (out === usual ? configured("agent") : undefined),
  };
}

function settingsOf(request: ListedRequest, given: Given, entry: SpecEntry, out: string): Settings {
  const { config, configFolder, configFile, locationOf, templates, library } = given;
  const { spec, agent: own, ...named } = entry;
  const protoPaths = protoPathsOf(
    request,
    named.protoPaths ?? (request.spec === undefined ? config.protoPaths : undefined),
  );
  const files = { ...named, ...(protoPaths && { protoPaths }) };
  const folder = baseOf(request, given);
  const agent = own === undefined ? given.agentOf(out) : resolve(folder, own);
  const targets = targetsOf(request.targets, config.targets);
  const isAdded = request.addsLibrary === true && library === libraryName;
  if (library !== undefined && !isAdded) checkPackage(library, out, configFolder);
  return defined({
    folder,
    configFolder,
    configFile,
    spec,
    files,
    versions: request.versions ?? config.versions ?? [],
    extensions:
      request.extensions?.map((text) =>
        movedExtension(text, (path) => relative(folder, resolve(request.cwd, path))),
      ) ??
      config.extensions?.map((text) =>
        movedExtension(text, (path) => relative(folder, resolve(configFolder, path))),
      ) ??
      [],
    out,
    templates,
    agent,
    ...(request.targets === undefined &&
      locationOf && { locationOfTarget: (name: string) => locationOf("targets", name) }),
    options: defined({
      importExtension:
        request.importExtension ?? config.importExtension ?? defaults.importExtension,
      aliases: request.aliases ?? config.aliases ?? defaults.aliases,
      generator: packageVersion(),
      targets,
      ...(agent !== undefined && { agentImport: importPath(agent, out) }),
      runtimeImport: library,
    }),
  });
}

/**
 * Returns the targets for a run: the targets in the request, otherwise the configured targets. If
 * all targets in the request begin with `+`, they are added to the configured targets, which may
 * themselves be additions to the default targets.
 */
function targetsOf(
  requested: readonly string[] | undefined,
  configured: readonly string[] | undefined,
): readonly string[] | undefined {
  if (configured === undefined || requested?.every((name) => name.startsWith("+")) !== true)
    return requested ?? configured;
  const isAddition = configured.every((name) => name.startsWith("+"));
  return [
    ...new Set([...configured, ...requested.map((name) => (isAddition ? name : name.slice(1)))]),
  ];
}

/** Returns the specifier that a file uses to import a folder: `./a2a`, `..`. */
export function importPath(agent: string, out: string): string {
  const path = withSlashes(relative(dirname(agent), out)) || ".";
  return /^\.\.?(?:\/|$)/.test(path) ? path : `./${path}`;
}
