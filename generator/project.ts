import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { loadAssets, packageFolder, packageVersion } from "./assets.js";
import { loadConfig, specChoice, type SingleConfig, type SpecChoice } from "./config/config.js";
import type { Assets, Generated, GenerateOptions } from "./generate.js";
import { SpecRegistry } from "./input/registry.js";
import { mainTexts, readImports, type SourceText, type SpecSource } from "./input/source.js";
import { hashOf, isUnchanged, readLock, type Lock } from "./output/lock.js";
import { recover } from "./output/swap.js";
import { packageNeeds, type PackageNeeds } from "./output/package.js";
import { checkFile, checkFolder, createOnce, planChanges, writeOutput, type Changes } from "./output/write.js";

/** What a user asks `generate` for. Options on the command line come before the configuration. */
export interface GenerateRequest extends SingleConfig {
  readonly cwd: string;
  /** The path of the configuration, where it is not to be looked for; `false` for none. */
  readonly config?: string | false;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** What a run did. */
export interface GenerateResult {
  readonly title: string;
  /** The output folder, relative to the folder of the call. */
  readonly out: string;
  readonly changes: Changes;
  /** Absent where nothing had to be done. */
  readonly generated?: Generated;
  /** The skeleton, if this run created it. */
  readonly agent?: string;
  /** What the project lacks that the output needs. */
  readonly needs: PackageNeeds;
  /** The files and folders that the output was made from, for watching. */
  readonly sources: readonly string[];
}

const defaultOut = join("src", "a2a");

/** The registry of specifications for somebody who works in `cwd`. */
export function specRegistry(cwd: string): SpecRegistry {
  return new SpecRegistry(join(packageFolder, "spec"), cwd);
}

/**
 * Generates into a project: finds configuration and specification, generates, and puts the output in place. Throws an
 * `InputError` for anything that is wrong with the request, and then leaves the project as it was.
 */
export async function generateInto(request: GenerateRequest): Promise<GenerateResult> {
  const settings = settle(request);
  const { out, folder } = settings;
  const shown = relative(request.cwd, out) || ".";
  checkFolder(out, shown);
  if (request.dryRun !== true) recover(out);
  const source = specRegistry(folder).find(settings.spec, settings.files);
  const { templates } = settings;
  const assets = loadAssets(
    templates === undefined ? undefined : { folder: templates, shown: relative(request.cwd, templates) || "." },
  );
  if (settings.agent !== undefined) checkFile(settings.agent, relative(request.cwd, settings.agent));
  const lock = readLock(out, shown);
  const imports = readImports(source);
  const result = { title: source.title, out: shown, sources: sourceFiles(source, imports, settings) };
  const input = inputHash(source, imports, assets, settings);
  if (lock?.input === input && !lacksAgent(settings, lock) && isUnchanged(out, lock)) {
    const unchanged = Object.keys(lock.files);
    return { ...result, changes: { written: [], unchanged, removed: [] }, needs: { missing: [], commonJs: false } };
  }
  const { generate } = await import("./generate.js");
  const { allTargets } = await import("./targets/registry.js");
  const generated = await generate(source, assets, {
    ...settings.options,
    targets: settings.options.targets ?? allTargets(),
  });
  const changes = planChanges({ out, shown, lock, force: request.force === true }, generated.files);
  const needs = packageNeeds(generated.files, out);
  if (request.dryRun === true) return { ...result, changes, generated, needs };
  writeOutput(out, generated.files, lockOf(source, generated, input, settings), changes);
  const created =
    settings.agent !== undefined && generated.agent !== undefined && createOnce(settings.agent, generated.agent);
  return {
    ...result,
    changes,
    generated,
    needs,
    ...(created && { agent: relative(request.cwd, settings.agent) }),
  };
}

interface Settings {
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly spec: string;
  readonly files: Omit<SpecChoice, "spec">;
  readonly out: string;
  readonly templates?: string;
  readonly agent?: string;
  readonly options: Omit<GenerateOptions, "targets"> & { readonly targets?: readonly string[] };
}

/** Puts together what the command line and the configuration say. */
function settle(request: GenerateRequest): Settings {
  const { config, folder: configFolder } =
    request.config === false ? { config: {}, folder: request.cwd } : loadConfig(request.cwd, request.config);
  const path = (key: "out" | "templates" | "agent"): string | undefined => {
    if (request[key] !== undefined) return resolve(request.cwd, request[key]);
    return config[key] === undefined ? undefined : resolve(configFolder, config[key]);
  };
  const out = path("out") ?? resolve(configFolder, defaultOut);
  const [templates, agent] = [path("templates"), path("agent")];
  const targets = request.targets ?? config.targets;
  const { spec, ...files } = specChoice(request, config);
  return {
    folder: request.spec === undefined ? configFolder : request.cwd,
    spec,
    files,
    out,
    ...(templates !== undefined && { templates }),
    ...(agent !== undefined && { agent }),
    options: {
      importExtension: request.importExtension ?? config.importExtension ?? "js",
      generator: packageVersion(),
      ...(targets !== undefined && { targets }),
      ...(agent !== undefined && { agentImport: importPath(agent, out) }),
    },
  };
}

function importPath(agent: string, out: string): string {
  const path = relative(dirname(agent), out).split(sep).join("/") || ".";
  return path.startsWith(".") ? path : `./${path}`;
}

/** Tells whether there is a skeleton to create: it is asked for, not there, and the output has the service for it. */
function lacksAgent({ agent }: Settings, lock: Lock): boolean {
  return agent !== undefined && !existsSync(agent) && Object.hasOwn(lock.files, "server/service.ts");
}

/** The hash of all that decides about the output. */
function inputHash(source: SpecSource, imports: readonly SourceText[], assets: Assets, { options }: Settings): string {
  return hashOf(
    JSON.stringify(options),
    source.title,
    ...mainTexts(source).flatMap(({ file, text }) => [file, text]),
    ...imports.flatMap(({ file, text }) => [file, text]),
    ...[...assets.templates].flat(),
    ...[...assets.runtime].flat(),
  );
}

function lockOf(source: SpecSource, { files }: Generated, input: string, { options }: Settings): Lock {
  const { generator, ...chosen } = options;
  const hashes = Object.fromEntries(files.map(({ path, text }) => [path, hashOf(text)]));
  return { lockVersion: 1, generator, spec: source.title, input, options: chosen, files: hashes };
}

/** Every file that the output is made from, and the folders whose new files would count, too. */
function sourceFiles(source: SpecSource, imports: readonly SourceText[], { folder, templates }: Settings): string[] {
  const texts = [...mainTexts(source), ...imports].map(({ file }) => resolve(folder, file));
  const overrides =
    templates === undefined
      ? []
      : readdirSync(templates, { recursive: true, encoding: "utf8" }).map((entry) => join(templates, entry));
  return [...texts, ...(templates === undefined ? [] : [templates]), ...overrides].filter((file) => existsSync(file));
}
