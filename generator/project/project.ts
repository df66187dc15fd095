import { existsSync } from "node:fs";
import { relative } from "node:path";
import {
  compareAgent,
  mergeAgent,
  type AgentFile,
  type AgentReport,
  type PreparedMerge,
} from "./agent.js";
import { loadAssets } from "./assets.js";
import { InputError } from "../../support/diagnostics.js";
import type { Assets, Generated } from "../core/contract.js";
import { libraryName } from "../core/library.js";
import type { SpecMatch } from "../input/source.js";
import { specRegistry } from "../input/registry.js";
import { readImports, type SpecSource } from "../input/source.js";
import { extraFiles, findDrift, type Drift } from "../output/drift.js";
import { compareFile, formattedFiles, hashesOf } from "../output/hashes.js";
import {
  isSameOrigin,
  readLock,
  refuseLater,
  targetsOf,
  type Lock,
  type Origin,
} from "../output/lock.js";
import { createOnce } from "../output/replace.js";
import { recover } from "../output/swap.js";
import { packageNeeds, type PackageNeeds } from "../output/package.js";
import { withSlashes } from "../../support/paths.js";
import { refuseMistypedAgent } from "./mistakes.js";
import { lockOf, originOf, sourceFiles } from "./origin.js";
import {
  importPath,
  resolveSettings,
  resolveEachSettings,
  type GenerateRequest,
  type ListedRequest,
  type Settings,
} from "./settings.js";
import {
  checkFile,
  checkFolder,
  checkReplaceable,
  planChanges,
  writeOutput,
  type Changes,
} from "../output/write.js";

export type { GenerateRequest, ListedRequest } from "./settings.js";
export type { AdaptedVersion } from "../core/contract.js";

/** Result of a run. */
export interface GenerateResult {
  readonly title: string;
  /**
   * Bundled version that is most similar to the specification, if it was given by path and without
   * a manifest.
   */
  readonly match?: SpecMatch;
  /** Output folder, relative to the working directory. */
  readonly out: string;
  readonly changes: Changes;
  /** Targets of the previous run that are no longer chosen. */
  readonly droppedTargets?: readonly string[];
  /**
   * TypeScript files that were in the folder before the first run. Later runs with `--check` report
   * them.
   */
  readonly others?: readonly string[];
  /** Files that are not up to date. Only set for a comparison. */
  readonly drift?: readonly Drift[];
  /** Files that only a formatter has changed. Set only for a comparison. */
  readonly formatted?: readonly string[];
  /** Generated output; absent if it was already up to date. */
  readonly generated?: Generated;
  /** Path of the skeleton, if this run created it. */
  readonly agent?: string;
  /** Path of the skeleton, if an earlier run created it, and the user has deleted it. */
  readonly deletedAgent?: string;
  /**
   * Path of the skeleton, if it was requested but the output has no service that it could
   * implement.
   */
  readonly ignoredAgent?: string;
  /**
   * Result of merging new methods into an existing skeleton; absent if no methods had to be merged.
   */
  readonly merge?: AgentReport;
  /** Requirements of the output that the project does not meet. */
  readonly needs: PackageNeeds;
  /** Files and folders that are inputs of the output, for watching. */
  readonly sources: readonly string[];
}

/**
 * Generates into a project: finds the configuration and the specification, generates, and writes
 * the output.
 *
 * @throws InputError if the request is invalid. In this case, the project stays unchanged
 */
export async function generateInto(request: GenerateRequest): Promise<GenerateResult> {
  const { write } = await prepare(request, await resolveSettings(request));
  return write();
}

/**
 * Generates like {@link generateInto}, once for every specification that the request or the
 * configuration names. Each output has its own folder below the output folder. If an output cannot
 * be generated, nothing is written.
 */
export async function generateEach(request: ListedRequest): Promise<GenerateResult[]> {
  return (await prepareEach(request)).map(({ write }) => write());
}

/**
 * Prepares a run for every specification that the request or the configuration names, without
 * changing the project.
 */
export async function prepareEach(request: ListedRequest): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const settings of await resolveEachSettings(request, specRegistry(request.cwd)))
    prepared.push(await prepare(request, settings));
  return prepared;
}

const noChanges: Changes = { written: [], unchanged: [], removed: [] };
const noNeeds: PackageNeeds = { missing: [], commonJs: false, isNext: false };

/** Options of a request that are not part of the settings. */
type RunRequest = Pick<
  GenerateRequest,
  "cwd" | "force" | "dryRun" | "check" | "agent" | "addsLibrary"
>;

/** Prepared run that has not changed the project yet. */
export interface Prepared {
  /** Result of the run, if it is applied. */
  readonly result: GenerateResult;
  /** The user's implementation of the service: its absolute path and its new text. */
  readonly user?: Pick<PreparedMerge, "text" | "insertions"> & { readonly path: string };
  /**
   * Changes the project: writes the output, and the user's file unless the caller provided its
   * text.
   */
  readonly write: () => GenerateResult;
}

/**
 * Returns the pending text of a user's file by its absolute path; `undefined` for files without
 * pending changes.
 */
type UserTexts = (path: string) => string | undefined;

/**
 * Prepares a run without changing the project. `userText` returns the pending texts of the user's
 * files. A caller that passes it must write these files itself.
 */
export async function prepare(
  request: RunRequest,
  settings: Settings,
  userText?: UserTexts,
): Promise<Prepared> {
  const input = readInput(request, settings);
  const current = resultIfCurrent(request, settings, input);
  if (current !== undefined) return { result: current, write: () => current };
  const { generate } = await import("../core/generate.js");
  const { defaultTargets } = await import("../targets/registry.js");
  const { options, locationOfTarget } = settings;
  const chosen = { ...options, targets: options.targets ?? defaultTargets() };
  const generated = await generate(input.source, input.assets, chosen, locationOfTarget);
  checkAgentPath(request, settings, generated);
  const agent = agentFile(request, settings, input.lock, userText);
  if (request.check === true) {
    const result = await checkedResult(settings, input, generated, agent);
    return { result, write: () => result };
  }
  return prepareChanges(request, settings, input, generated, agent, userText === undefined);
}

/** Inputs of the output, and the previous run's lock file. */
interface Input {
  readonly source: SpecSource;
  readonly assets: Assets;
  readonly origin: Origin;
  readonly lock: Lock | undefined;
  /** Members of every result. */
  readonly result: Pick<GenerateResult, "title" | "match" | "out" | "sources">;
}

function readInput(request: RunRequest, settings: Settings): Input {
  const { out, folder, agent, templates } = settings;
  const shownFrom = (path: string): string => relative(request.cwd, path) || ".";
  const shown = shownFrom(out);
  checkFolder(out, shown, [request.cwd, settings.configFolder]);
  const isWriting = request.dryRun !== true && request.check !== true;
  if (isWriting) recover(out);
  const source = sourceOf(folder, settings);
  const assets = loadAssets(
    templates === undefined ? undefined : { folder: templates, shown: shownFrom(templates) },
  );
  if (agent !== undefined) {
    checkFile(agent, shownFrom(agent), isWriting);
    if (request.force !== true) refuseMistypedAgent(agent, importPath(agent, out), shownFrom);
  }
  const lock = readLock(out, shown);
  if (isWriting && request.force !== true) refuseLater(lock, settings.options.generator, shown);
  const imports = readImports(source);
  const { title, match } = source;
  const result = {
    title,
    ...(match && { match }),
    out: shown,
    sources: sourceFiles(source, imports, settings),
  };
  return { source, assets, origin: originOf(source, imports, assets, settings), lock, result };
}

/**
 * Returns the specification together with the other versions and the extensions that the output
 * supports.
 */
function sourceOf(folder: string, { spec, files, versions, extensions }: Settings): SpecSource {
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

/** Returns the result of a run if the hashes of the inputs show that the output is up to date. */
function resultIfCurrent(
  request: RunRequest,
  settings: Settings,
  input: Input,
): GenerateResult | undefined {
  const { origin, lock, result } = input;
  const { out } = settings;
  if (lock === undefined || !isSameOrigin(lock, origin) || isAgentMissing(request, settings, lock))
    return undefined;
  const formatted = formattedFiles(out, lock);
  if (formatted === undefined) return undefined;
  if (isAgentAmong(Object.keys(lock.files), settings)) return undefined;
  const unchanged = { ...noChanges, unchanged: Object.keys(lock.files) };
  const current = {
    ...result,
    ...deletedAgent(request, settings, lock),
    changes: unchanged,
    needs: noNeeds,
  };
  if (request.check !== true) return current;
  return extraFiles(out, [lock], settings.agent).length === 0
    ? { ...current, drift: [], formatted }
    : undefined;
}

async function checkedResult(
  settings: Settings,
  { origin, lock, result }: Input,
  generated: Generated,
  agent: AgentFile | undefined,
): Promise<GenerateResult> {
  const { out, agent: skeleton } = settings;
  const expected = lockOf(
    origin,
    { generated },
    hashesOf(generated.files, lock),
    agentIn(settings),
  );
  const drift = findDrift(out, lock, expected, skeleton);
  const formatted = generated.files.flatMap(({ path }) =>
    compareFile(out, path, expected) === "formatted" ? [path] : [],
  );
  const merge = agent && (await compareAgent(agent, generated));
  return {
    ...result,
    changes: noChanges,
    drift,
    formatted,
    generated,
    needs: noNeeds,
    ...(merge && { merge }),
  };
}

/** Plans the changes of a run. `isWritingUser` is true if the run itself writes the user's file. */
async function prepareChanges(
  request: RunRequest,
  settings: Settings,
  { origin, lock, result }: Input,
  generated: Generated,
  agent: AgentFile | undefined,
  isWritingUser: boolean,
): Promise<Prepared> {
  const { out, agent: skeleton } = settings;
  const hashes = hashesOf(generated.files, lock);
  const changes = planChanges(
    { out, shown: result.out, lock, force: request.force === true },
    hashes,
  );
  checkReplaceable(out, result.out);
  const isDryRun = request.dryRun === true;
  const merge = agent && (await mergeAgent(agent, generated, isDryRun));
  const added = request.addsLibrary === true ? [libraryName] : [];
  const needs = packageNeeds([...generated.files, ...generated.library], out, added);
  const droppedTargets = await targetsDropped(lock, settings);
  const others = lock === undefined ? extraFiles(out, [hashes], skeleton) : [];
  const isAgentIgnored = skeleton !== undefined && generated.service === undefined;
  const ignored = isAgentIgnored && { ignoredAgent: relative(request.cwd, skeleton) };
  const report = merge && { merge: merge.report };
  const deleted = deletedAgent(request, settings, lock);
  const made = {
    ...result,
    ...deleted,
    changes,
    droppedTargets,
    others,
    generated,
    needs,
    ...ignored,
    ...report,
  };
  const write = (): GenerateResult => {
    if (isDryRun) return made;
    const writeFiles = (): void => {
      writeOutput(out, generated.files, lockOf(origin, made, hashes, agentIn(settings)), changes);
    };
    if (merge === undefined || !isWritingUser) writeFiles();
    else merge.around(writeFiles);
    const text = deleted.deletedAgent === undefined ? generated.agent : undefined;
    const isCreated = skeleton !== undefined && text !== undefined && createOnce(skeleton, text);
    return { ...made, ...(isCreated && { agent: relative(request.cwd, skeleton) }) };
  };
  const user = agent &&
    merge && { path: agent.path, text: merge.text, insertions: merge.insertions };
  return { result: made, write, ...(user && { user }) };
}

/** Returns the targets of the previous run that are no longer chosen. */
async function targetsDropped(lock: Lock | undefined, { options }: Settings): Promise<string[]> {
  if (lock === undefined) return [];
  const { droppedTargets, defaultTargets } = await import("../targets/registry.js");
  return droppedTargets(targetsOf(lock) ?? defaultTargets(), options.targets ?? defaultTargets());
}

/** Returns the existing skeleton into which methods can be merged, if any. */
function agentFile(
  { cwd }: RunRequest,
  { agent: path, out, options }: Settings,
  lock: Lock | undefined,
  userText: UserTexts | undefined,
): AgentFile | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const text = userText?.(path);
  const { importExtension } = options;
  const file = {
    path,
    shown: relative(cwd, path),
    out,
    outImport: importPath(path, out),
    lock,
    importExtension,
  };
  return { ...file, ...(text !== undefined && { text }) };
}

/** Throws an `InputError` if the agent has the path of a generated file. */
function checkAgentPath({ cwd }: RunRequest, settings: Settings, { files }: Generated): void {
  const paths = files.map(({ path }) => path);
  if (settings.agent === undefined || !isAgentAmong(paths, settings)) return;
  throw new InputError({
    location: { file: relative(cwd, settings.agent) },
    message: "the agent has the path of a generated file",
    hint: 'Choose another file with --agent or "agent" in the configuration',
  });
}

/** Returns whether the path of the agent is the path of a generated file. */
function isAgentAmong(paths: readonly string[], { agent, out }: Settings): boolean {
  return agent !== undefined && paths.includes(withSlashes(relative(out, agent)));
}

/** Returns the path of the agent from the output folder, as the lock file contains it. */
function agentIn({ agent, out }: Settings): string | undefined {
  return agent === undefined ? undefined : withSlashes(relative(out, agent));
}

/**
 * Returns the path of the configured skeleton if an earlier run created it, and the user has
 * deleted it. A skeleton that the request names is created again.
 */
function deletedAgent(
  { cwd, agent: requested }: RunRequest,
  settings: Settings,
  lock: Lock | undefined,
): Pick<GenerateResult, "deletedAgent"> {
  const { agent } = settings;
  const isKnown =
    requested === undefined && lock?.agent !== undefined && lock.agent === agentIn(settings);
  return agent !== undefined && isKnown && !existsSync(agent)
    ? { deletedAgent: relative(cwd, agent) }
    : {};
}

/**
 * Returns whether to create a skeleton, because it is requested, it does not exist, and the output
 * has a service.
 */
function isAgentMissing(request: RunRequest, settings: Settings, lock: Lock): boolean {
  const { agent } = settings;
  if (agent === undefined || existsSync(agent) || !Object.hasOwn(lock.files, "server/service.ts"))
    return false;
  return deletedAgent(request, settings, lock).deletedAgent === undefined;
}
