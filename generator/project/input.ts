import { relative } from "node:path";
import type { Assets } from "../core/contract.js";
import { specRegistry } from "../input/registry.js";
import { bundledDigest } from "../input/bundled-digests.js";
import { digestOf, type SourceDigest } from "../input/digest.js";
import {
  mainTexts,
  otherTexts,
  readImports,
  type SourceText,
  type SpecMatch,
  type SpecSource,
} from "../input/source.js";
import { readLock, refuseLater, type Lock, type Origin } from "../output/lock.js";
import { recover } from "../output/swap.js";
import { checkFile, checkFolder } from "../output/write.js";
import { hashOf } from "../../support/hash.js";
import { hashOfAssets, loadAssets } from "./assets.js";
import { refuseMistypedAgent } from "./mistakes.js";
import { originOf, sourceFiles } from "./origin.js";
import type { GenerateResult } from "./result.js";
import { importPath, type GenerateRequest, type Settings } from "./settings.js";

/** Options of a request that are not part of the settings. */
export type RunRequest = Pick<
  GenerateRequest,
  "cwd" | "force" | "dryRun" | "check" | "agent" | "addsLibrary" | "verbose"
>;

/** Inputs of the generator. */
export interface Inputs {
  readonly source: SpecSource;
  readonly assets: Assets;
}

/** Run with the hashes of its inputs, and the previous run's lock file. */
export interface Run {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly origin: Origin;
  readonly lock: Lock | undefined;
  /** Members of every result. */
  readonly result: Pick<GenerateResult, "title" | "match" | "out" | "sources">;
  /** Returns the inputs. A run without changes does not read bundled inputs. */
  readonly read: () => Inputs;
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
  const spec = specificationOf(settings);
  const overridden = overriddenAssets(request, settings);
  checkAgentFile(request, settings, { isWriting });
  const lock = readLock(out, shown);
  if (isWriting && request.force !== true) refuseLater(lock, settings.options.generator, shown);
  const { title } = spec.digest;
  const sources = sourceFiles(spec.texts, settings);
  const result = { title, ...(spec.match && { match: spec.match }), out: shown, sources };
  const hashes = { spec: spec.digest, others: spec.others, assets: hashOfAssets(overridden) };
  const origin = originOf(hashes, settings);
  const read = (): Inputs => ({ source: spec.read(), assets: overridden ?? loadAssets() });
  return { request, settings, origin, lock, result, read };
}

/** Returns the assets if the user's templates replace some of them. */
function overriddenAssets(request: RunRequest, { templates }: Settings): Assets | undefined {
  if (templates === undefined) return undefined;
  return loadAssets({ folder: templates, shown: shownPath(request, templates) });
}

function checkAgentFile(
  request: RunRequest,
  { agent, out }: Settings,
  { isWriting }: { readonly isWriting: boolean },
): void {
  if (agent === undefined) return;
  const shownFrom = (path: string): string => shownPath(request, path);
  checkFile(agent, shownFrom(agent), { willBeCreated: isWriting });
  if (request.force !== true) refuseMistypedAgent(agent, importPath(agent, out), shownFrom);
}

/** Returns a path as messages show it. */
function shownPath({ cwd }: RunRequest, path: string): string {
  return relative(cwd, path) || ".";
}

/** A specification with the other versions and the extensions that the output supports. */
interface Specification {
  readonly digest: SourceDigest;
  readonly match?: SpecMatch | undefined;
  /** Hashes of the other versions and the extensions. */
  readonly others: readonly string[];
  /** Files of the specification, unless only bundled files belong to it. */
  readonly texts: readonly SourceText[];
  readonly read: () => SpecSource;
}

function specificationOf(settings: Settings): Specification {
  const read = (): SpecSource => sourceOf(settings);
  const [digest, ...versions] = bundledDigestsOf(settings) ?? [];
  if (digest !== undefined)
    return { digest, others: versions.map(({ hash }) => hash), texts: [], read };
  const source = read();
  const imports = readImports(source);
  const others = [
    ...(source.versions ?? []).map((version) => digestOf(version).hash),
    ...(source.extensions ?? []).map(({ uri, source }) => hashOf(uri, digestOf(source).hash)),
  ];
  const texts = [...mainTexts(source), ...imports, ...otherTexts(source)];
  const { match } = source;
  return { digest: digestOf(source, imports), match, others, texts, read: () => source };
}

/**
 * Returns the digests of the specification and of the other versions; `undefined` if the output
 * also has other inputs than bundled specifications.
 */
function bundledDigestsOf({ spec, protos, files, versions, extensions }: Settings) {
  if (protos !== undefined) return undefined;
  if (Object.keys(files).length + extensions.length > 0) return undefined;
  const digests = [spec, ...versions].map(bundledDigest);
  return digests.every((digest) => digest !== undefined) ? digests : undefined;
}

/**
 * Returns the specification together with the other versions and the extensions that the output
 * supports.
 */
function sourceOf({ folder, spec, protos, files, versions, extensions }: Settings): SpecSource {
  const registry = specRegistry(folder);
  if (protos !== undefined) return registry.packages(protos, files);
  const source = registry.find(spec, files);
  return {
    ...source,
    ...(versions.length > 0 && { versions: versions.map((version) => registry.find(version)) }),
    ...(extensions.length > 0 && {
      extensions: extensions.map((path) => registry.extension(path)),
    }),
  };
}
