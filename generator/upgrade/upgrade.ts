import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { configFile, loadConfig } from "../project/config.js";
import { InputError } from "../support/diagnostics.js";
import { leadsInto } from "../support/real-path.js";
import { compareProtocols } from "../diff/compare.js";
import { changeAll, findInterrupted, journalFolder } from "../output/journal.js";
import { readLock } from "../output/lock.js";
import { replaceFile } from "../output/replace.js";
import { recover } from "../output/swap.js";
import { checkWritable } from "../output/user-file.js";
import { specRegistry } from "../input/registry.js";
import { prepare, type GenerateResult, type Prepared } from "../project/project.js";
import type { Protocol } from "../protocol/model/types.js";
import { readProtocol } from "../core/read.js";
import { resolveSettings, type GenerateRequest, type Settings } from "../project/settings.js";
import { changeableFolders, refuseOutside } from "./area.js";
import { changedConfig } from "./config-text.js";
import { applyEdits } from "./edits.js";
import { checkCommitted } from "./git.js";
import { namesBetween, newMethods, type NameMap } from "./names.js";
import { operationOwners } from "./notes.js";
import { neverTrueIn, type NeverTrue } from "./never-true.js";
import { findTsconfig, loadProject, slashed, type Checked, type Overlay, type ProjectPaths } from "./project.js";
import { compileErrorsOf, originOf, remainingIn, renamedIn, type Evidence, type UserFile } from "./remaining.js";
import { findNames } from "./rename.js";
import { silentChanges } from "./silent.js";
import type { Edit, UpgradeReport } from "./types.js";

/** The options of an upgrade. */
export interface UpgradeRequest {
  readonly cwd: string;
  /** The version to move to, or the path of a proto or JSON Schema. */
  readonly to: string;
  /** The schema and manifest of the new version, as for `generate`. */
  readonly schema?: string | undefined;
  readonly manifest?: string | undefined;
  /** Whether to write; otherwise everything is computed and nothing is written. */
  readonly write: boolean;
  /** Whether to write over generated files that were edited, and over changes that are not committed. */
  readonly force: boolean;
  /** The path of the configuration; by default it is searched for. */
  readonly config?: string | undefined;
  /** The path of the `tsconfig.json`; by default it is searched for. */
  readonly tsconfig?: string | undefined;
}

/**
 * Moves a project to another version: compares the versions, generates, merges the agent, renames in the user's files,
 * and finds what is left to do. With `write`, all changes are written or none.
 *
 * @throws InputError if the project or the request is wrong; the project is then left as it was.
 */
export async function upgrade(request: UpgradeRequest): Promise<UpgradeReport> {
  const { cwd, to } = request;
  const { folder } = loadConfig(cwd, request.config);
  const roots = changeableFolders(folder, resolveSettings(commonRequest(request)));
  const restored = restoreInterrupted(folder, roots, request.write);
  const { present, wanted, asked } = settingsOf(request);
  if (request.write) recover(present.out);
  const config = configOf(request, folder);
  refuseOutside([...config, ...(present.agent === undefined ? [] : [present.agent])], roots, cwd);
  // The compiler is slow to load, so problems that need none come first.
  if (request.write) checkFiles(request, folder, present.out, config);
  const before = readSpec(present.folder, versionOf(present, cwd), present.files);
  const after = readSpec(cwd, to, wanted.files);
  const changes = compareProtocols(before, after);
  const names = namesBetween(before, after, changes);
  const paths = projectPaths(request, folder, present.out);
  const project = await loadProject(paths);
  const isOutput = (fileName: string): boolean => fileName.startsWith(`${slashed(paths.out)}/`);
  const neverBefore = neverTrueIn(project.checked, isOutput);
  const found = userFiles(project.checked, names, isOutput).filter(({ path }) => leadsInto(path, roots));
  const renamed = new Map(found.map(({ path, text, names: { renamings } }) => [path, applyEdits(text, renamings)]));
  const prepared = await prepare(asked, wanted, (path) => renamed.get(slashed(path)));
  const { user } = prepared;
  const texts = user === undefined ? renamed : new Map([...renamed, [slashed(user.path), user.text]]);
  const files = found.map((file) => ({ ...file, insertions: insertionsInto(file.path, prepared) }));
  const upgraded = project.with(overlayOf(prepared, texts, present));
  const neverTrue = neverTrueSince(neverBefore, neverTrueIn(upgraded, isOutput), files);
  const shown = (path: string): string => relative(cwd, path);
  const compiled = compileErrorsAround(project.checked, upgraded);
  const evidence = { ...compiled, files, texts, names, shown, neverTrue, written: request.write };
  const report: UpgradeReport = {
    from: before.title,
    to: after.title,
    comparison: { from: before.title, to: after.title, changes },
    generated: prepared.result,
    renamed: files.flatMap((file) => renamedIn(file, shown)),
    remaining: remainingIn(evidence),
    silent: silentChanges(before, after, changes),
    newMethods: present.agent === undefined && hasService(found) ? newMethods(before, after) : [],
    restored,
    isCurrent: prepared.result.generated === undefined && changesOf(request, { texts, config }).size === 0,
    written: request.write,
  };
  if (!request.write) return report;
  return {
    ...report,
    generated: writeAll(request, { folder, out: present.out, runtime: present.runtime, prepared, texts, config }),
  };
}

/**
 * Restores what an upgrade that was interrupted has changed, and returns the paths.
 *
 * @throws InputError if there is something to restore and nothing may be written.
 */
function restoreInterrupted(folder: string, roots: readonly string[], isWriting: boolean): readonly string[] {
  const interrupted = findInterrupted(folder, roots);
  if (interrupted === undefined) return [];
  if (!isWriting)
    throw new InputError({
      location: { file: journalFolder },
      message: `an earlier upgrade was interrupted, and has changed ${interrupted.paths.join(", ")}`,
      hint: "With --write these files are restored first, as they were before it; to keep them as they are, remove the folder",
    });
  interrupted.undo();
  return interrupted.paths;
}

function commonRequest({ cwd, force, write, config }: UpgradeRequest): GenerateRequest {
  return { cwd, force, dryRun: !write, ...(config !== undefined && { config }) };
}

function settingsOf(request: UpgradeRequest): {
  readonly present: Settings;
  readonly wanted: Settings;
  readonly asked: GenerateRequest;
} {
  const { to, schema, manifest } = request;
  const common = commonRequest(request);
  const asked = {
    ...common,
    spec: to,
    ...(schema !== undefined && { schema }),
    ...(manifest !== undefined && { manifest }),
  };
  return { present: resolveSettings(common), wanted: resolveSettings(asked), asked };
}

/** Returns the specification of the present output: that of the lock, or else of the configuration. */
function versionOf({ out, spec }: Settings, cwd: string): string {
  const shown = relative(cwd, out);
  const lock = readLock(out, shown);
  if (lock === undefined)
    throw new InputError({
      location: { file: shown },
      message: "nothing has been generated here yet",
      hint: "Run `a2a-codegen generate`, or name the configuration behind --config",
    });
  const registry = specRegistry(cwd);
  const made = registry.list().find(({ version }) => lock.spec === `A2A ${version}`);
  return made?.id ?? spec;
}

function readSpec(folder: string, spec: string, files: Settings["files"]): Protocol {
  const registry = specRegistry(folder);
  const own = registry.idOf(spec) === undefined ? files : {};
  return readProtocol(registry.find(spec, own));
}

function projectPaths({ cwd, tsconfig }: UpgradeRequest, folder: string, out: string): ProjectPaths {
  const given = tsconfig === undefined ? undefined : resolve(cwd, tsconfig);
  if (given !== undefined && !existsSync(given)) {
    const message = `there is no file "${tsconfig ?? ""}"`;
    throw new InputError({ message, hint: "Correct the path behind --tsconfig" });
  }
  return { tsconfig: given ?? findTsconfig(folder), folder, out };
}

function userFiles(
  project: Checked,
  names: NameMap,
  isOutput: (fileName: string) => boolean,
): Omit<UserFile, "insertions">[] {
  return project.files.map((file) => ({
    path: file.fileName,
    text: file.text,
    names: findNames(file, project, names, isOutput),
  }));
}

/** Returns whether a file of the user has the service of an agent. */
function hasService(files: readonly Omit<UserFile, "insertions">[]): boolean {
  const [, service] = operationOwners;
  return files.some(({ text }) => new RegExp(String.raw`\b${service}\b`).test(text));
}

/** Returns the compile errors after the upgrade, and those before it in the same files. */
function compileErrorsAround(project: Checked, upgraded: Checked): Pick<Evidence, "before" | "after"> {
  const after = compileErrorsOf(upgraded);
  return { before: compileErrorsOf(project, new Set(after.map(({ fileName }) => fileName))), after };
}

/** Returns the tests that are never true since the upgrade, by positions before it. */
function neverTrueSince(
  before: readonly NeverTrue[],
  after: readonly NeverTrue[],
  files: readonly UserFile[],
): NeverTrue[] {
  const found = after.map((test) => {
    const file = files.find(({ path }) => path === test.fileName);
    return { ...test, start: file === undefined ? test.start : originOf(test.start, file) };
  });
  const isNew = ({ fileName, start }: NeverTrue): boolean =>
    !before.some((other) => other.fileName === fileName && other.start === start);
  return found.filter(isNew);
}

function insertionsInto(path: string, { user }: Prepared): Edit[] {
  const isMerged = user !== undefined && slashed(user.path) === path;
  return isMerged ? user.insertions.map(({ at, text, drops = 0 }) => ({ start: at, end: at + drops, text })) : [];
}

/** Returns the files of the project as they will be. */
function overlayOf(
  { result }: Prepared,
  texts: ReadonlyMap<string, string>,
  { out, runtime = out }: Settings,
): Overlay {
  const path = (name: string): string => slashed(join(out, name));
  return new Map([
    ...texts,
    ...(result.generated?.files ?? []).map(({ path: name, text }) => [path(name), text] as const),
    ...(result.generated?.runtime ?? []).map(({ path: name, text }) => [slashed(join(runtime, name)), text] as const),
    ...result.changes.removed.map((name) => [path(name), undefined] as const),
  ]);
}

interface Writing {
  readonly folder: string;
  readonly out: string;
  /** The folder of runtime modules, where the output shares it. */
  readonly runtime: string | undefined;
  readonly prepared: Prepared;
  /** The new texts of the user's files. */
  readonly texts: ReadonlyMap<string, string>;
  /** The configuration, if there is one. */
  readonly config: readonly string[];
}

function configOf({ cwd, config }: UpgradeRequest, folder: string): string[] {
  const path = config === undefined ? join(folder, configFile) : resolve(cwd, config);
  return existsSync(path) ? [path] : [];
}

/** Throws an `InputError` if a file is read-only or, without `force`, has changes that are not committed. */
function checkFiles({ cwd, force }: UpgradeRequest, folder: string, out: string, paths: readonly string[]): void {
  const purpose = { purpose: "it has to be changed", hint: "Change its permissions; nothing was written" };
  for (const path of paths) checkWritable(realpathSync(path), relative(cwd, path), purpose);
  if (!force) checkCommitted(folder, out, paths, cwd);
}

/** Returns the new texts of the configuration and of the user's files that change, by path. */
function changesOf(
  { to, schema, manifest }: UpgradeRequest,
  { texts, config }: Pick<Writing, "texts" | "config">,
): ReadonlyMap<string, string> {
  const files = { ...(schema !== undefined && { schema }), ...(manifest !== undefined && { manifest }) };
  return new Map([
    ...config.flatMap((path) => changeOf(path, changedConfig(readFileSync(path, "utf8"), to, files))),
    ...[...texts].flatMap(([path, text]) => changeOf(path, text)),
  ]);
}

/** Writes all changes, or none. */
function writeAll(request: UpgradeRequest, { folder, out, runtime, prepared, texts, config }: Writing): GenerateResult {
  const changes = changesOf(request, { texts, config });
  checkFiles(request, folder, out, [...changes.keys()]);
  return changeAll(folder, [...changes.keys(), out, ...(runtime === undefined ? [] : [runtime])], () => {
    const result = prepared.write();
    for (const [path, text] of changes) replaceFile(path, text);
    return result;
  });
}

/** Returns the new text of a file, or nothing if it stays the same. The compiler drops byte order marks, which stay. */
function changeOf(path: string, text: string): (readonly [path: string, text: string])[] {
  const before = readFileSync(path, "utf8");
  const after = before.startsWith("\uFEFF") && !text.startsWith("\uFEFF") ? `\uFEFF${text}` : text;
  return before === after ? [] : [[path, after]];
}
