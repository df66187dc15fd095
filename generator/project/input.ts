import { relative } from "node:path";
import type { Assets } from "../core/contract.js";
import { specRegistry } from "../input/registry.js";
import { readImports, type SpecSource } from "../input/source.js";
import { readLock, refuseLater, type Lock, type Origin } from "../output/lock.js";
import { recover } from "../output/swap.js";
import { checkFile, checkFolder } from "../output/write.js";
import { loadAssets } from "./assets.js";
import { refuseMistypedAgent } from "./mistakes.js";
import { originOf, sourceFiles } from "./origin.js";
import type { GenerateResult } from "./result.js";
import { importPath, type GenerateRequest, type Settings } from "./settings.js";

/** Options of a request that are not part of the settings. */
export type RunRequest = Pick<
  GenerateRequest,
  "cwd" | "force" | "dryRun" | "check" | "agent" | "addsLibrary" | "verbose"
>;

/** Run with the inputs of its output, and the previous run's lock file. */
export interface Run {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly source: SpecSource;
  readonly assets: Assets;
  readonly origin: Origin;
  readonly lock: Lock | undefined;
  /** Members of every result. */
  readonly result: Pick<GenerateResult, "title" | "match" | "out" | "sources">;
}

/**
 * Reads the inputs of a run, and checks that the run may write its output folder.
 *
 * @throws InputError if an input is invalid, or the output may not be written
 */
export function readInput(request: RunRequest, settings: Settings): Run {
  const { out } = settings;
  const shown = shownPath(request, out);
  const isWriting = request.dryRun !== true && request.check !== true;
  checkFolder(out, shown, [request.cwd, settings.configFolder]);
  // An interrupted run may have left the folder incomplete, and its lock file elsewhere.
  if (isWriting) recover(out);
  const source = sourceOf(settings);
  const assets = assetsOf(request, settings);
  checkAgentFile(request, settings, { isWriting });
  const lock = readLock(out, shown);
  if (isWriting && request.force !== true) refuseLater(lock, settings.options.generator, shown);
  const imports = readImports(source);
  const { title, match } = source;
  const sources = sourceFiles(source, imports, settings);
  const result = { title, ...(match && { match }), out: shown, sources };
  const origin = originOf(source, imports, assets, settings);
  return { request, settings, source, assets, origin, lock, result };
}

function assetsOf(request: RunRequest, { templates }: Settings): Assets {
  if (templates === undefined) return loadAssets(undefined);
  return loadAssets({ folder: templates, shown: shownPath(request, templates) });
}

function checkAgentFile(
  request: RunRequest,
  { agent, out }: Settings,
  { isWriting }: { readonly isWriting: boolean },
): void {
  if (agent === undefined) return;
  const shownFrom = (path: string): string => shownPath(request, path);
  checkFile(agent, shownFrom(agent), isWriting);
  if (request.force !== true) refuseMistypedAgent(agent, importPath(agent, out), shownFrom);
}

/** Returns a path as messages show it. */
function shownPath({ cwd }: RunRequest, path: string): string {
  return relative(cwd, path) || ".";
}

/**
 * Returns the specification together with the other versions and the extensions that the output
 * supports.
 */
function sourceOf({ folder, spec, files, versions, extensions }: Settings): SpecSource {
  const registry = specRegistry(folder);
  const source = registry.find(spec, files);
  return {
    ...source,
    ...(versions.length > 0 && { versions: versions.map((version) => registry.find(version)) }),
    ...(extensions.length > 0 && {
      extensions: extensions.map((path) => registry.extension(path)),
    }),
  };
}
