import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isConfigModule } from "../project/config-file.js";
import { InputError, reasonOf } from "../../support/diagnostics.js";
import { resolvesInto } from "../../support/real-path.js";
import { compareProtocols } from "../diff/compare.js";
import { replaceFile } from "../output/replace.js";
import { specRegistry } from "../input/registry.js";
import { prepare, type GenerateResult, type Prepared } from "../project/project.js";
import type { Protocol } from "../protocol/model/types.js";
import { readProtocol } from "../core/read.js";
import type { GenerateRequest, Settings } from "../project/settings.js";
import { changedConfig, changedModule } from "./config-text.js";
import { applyEdits } from "./edits.js";
import { namesBetween, newMethods, type NameMap } from "./names.js";
import { operationOwners } from "./found-renames.js";
import { neverTrueIn, type NeverTrue } from "./never-true.js";
import {
  findTsconfig,
  loadProject,
  slashed,
  type Checked,
  type Overlay,
  type ProjectPaths,
} from "./project.js";
import {
  compileErrorsOf,
  originOf,
  remainingIn,
  renamedIn,
  type Evidence,
  type UserFile,
} from "./remaining.js";
import { findNames } from "./rename.js";
import { silentChanges } from "./silent.js";
import { checkFiles, startUpgrade } from "./start.js";
import type { Edit, UpgradeReport, UpgradeRequest } from "./types.js";
import { defined } from "../../support/values.js";

/**
 * Moves a project to another version: compares the versions, generates the output, merges the
 * agent, rewrites the user's files, and finds the remaining work. With `write`, writes the changes.
 *
 * @throws InputError if the project or the request is invalid, so that the project stays unchanged,
 *   or if a file cannot be written
 */
export async function upgrade(request: UpgradeRequest): Promise<UpgradeReport> {
  const { cwd } = request;
  const { folder, config, roots, currentSettings, currentVersion, newSettings, newRequest } =
    await startUpgrade(request);
  const before = readSpec(currentSettings.folder, currentVersion, currentSettings.files);
  const after = readSpec(newSettings.folder, newSettings.spec, newSettings.files);
  const changes = compareProtocols(before, after);
  const names = namesBetween(before, after, changes);
  const paths = projectPaths(request, folder, currentSettings.out);
  const project = await loadProject(paths);
  const isOutput = (fileName: string): boolean => fileName.startsWith(`${slashed(paths.out)}/`);
  const neverBefore = neverTrueIn(project.checked, isOutput);
  const found = userFiles(project.checked, names, isOutput).filter(({ path }) =>
    resolvesInto(path, roots),
  );
  const renamed = new Map(
    found.map(({ path, text, names: { renamings } }) => [path, applyEdits(text, renamings)]),
  );
  const prepared = await prepare(newRequest, newSettings, (path) => renamed.get(slashed(path)));
  const { users = [] } = prepared;
  const texts = new Map([
    ...renamed,
    ...users.map(({ path, text }) => [slashed(path), text] as const),
  ]);
  const files = found.map((file) => ({ ...file, insertions: insertionsInto(file.path, prepared) }));
  const upgraded = project.with(overlayOf(prepared, texts, currentSettings));
  // Before other questions about types, after which the compiler may report other errors.
  const compiled = compileErrorsAround(project.checked, upgraded);
  const neverTrue = neverTrueSince(neverBefore, neverTrueIn(upgraded, isOutput), files);
  const isAdapted = request.keep === true && before.title !== after.title;
  const shown = (path: string): string => relative(cwd, path);
  const evidence = { ...compiled, files, texts, names, shown, neverTrue, written: request.write };
  const report: UpgradeReport = {
    from: before.title,
    to: after.title,
    comparison: { from: before.title, to: after.title, changes },
    generated: prepared.result,
    renamed: files.flatMap((file) => renamedIn(file, shown)),
    remaining: remainingIn(evidence),
    silent: silentChanges(before, after, {
      changes,
      isAdapted,
      converted: names.structure.converted.values(),
    }),
    newMethods:
      currentSettings.agent === undefined && hasService(found, before)
        ? newMethods(before, after)
        : [],
    ...(isAdapted && { adapter: adapterNote(before) }),
    isCurrent:
      prepared.result.generated === undefined &&
      changesOf(newRequest, { texts, config }).size === 0,
    written: request.write,
  };
  if (!request.write) return report;
  return {
    ...report,
    generated: writeAll(request, newRequest, { folder, prepared, texts, config }),
  };
}

/** Explains how to use the adapter of the earlier version. */
function adapterNote({ binding }: Protocol): string {
  const version = binding?.wireVersion ?? "";
  const name = `v${version.replace(/\W/g, "_")}`;
  return (
    `callers of ${version} are served if createAgent has \`versions: [${name}]\`, from ` +
    `versions/${version}/server.js of the output; connect takes ${name} from ` +
    `versions/${version}/client.js`
  );
}

function readSpec(folder: string, spec: string, files: Settings["files"]): Protocol {
  const registry = specRegistry(folder);
  const own = registry.idOf(spec) === undefined ? files : {};
  return readProtocol(registry.find(spec, own));
}

function projectPaths(
  { cwd, tsconfig }: UpgradeRequest,
  folder: string,
  out: string,
): ProjectPaths {
  const given = tsconfig === undefined ? undefined : resolve(cwd, tsconfig);
  if (given !== undefined && !existsSync(given)) {
    const message = `the file "${tsconfig ?? ""}" does not exist`;
    throw new InputError({ message, hint: "Correct the path in --tsconfig" });
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

/** Returns whether a file of the user names the interface of a service. */
function hasService(files: readonly Omit<UserFile, "insertions">[], before: Protocol): boolean {
  const services = operationOwners(before).filter((name) => name.endsWith("Service"));
  const pattern = new RegExp(String.raw`\b(${services.join("|")})\b`);
  return files.some(({ text }) => pattern.test(text));
}

/**
 * Returns the compile errors after the upgrade, and the compile errors of the same files before it.
 */
function compileErrorsAround(
  project: Checked,
  upgraded: Checked,
): Pick<Evidence, "before" | "after"> {
  const after = compileErrorsOf(upgraded);
  return {
    before: compileErrorsOf(project, new Set(after.map(({ fileName }) => fileName))),
    after,
  };
}

/**
 * Returns the conditions that are never true after the upgrade, with their positions before the
 * upgrade.
 */
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

function insertionsInto(path: string, { users = [] }: Prepared): Edit[] {
  const own = users.filter((user) => slashed(user.path) === path);
  return own.flatMap(({ insertions }) =>
    insertions.map(({ at, text }) => ({ start: at, end: at, text })),
  );
}

/** Returns the files of the project after the upgrade. */
function overlayOf(
  { result, created = new Map() }: Prepared,
  texts: ReadonlyMap<string, string>,
  { out }: Settings,
): Overlay {
  const path = (name: string): string => slashed(join(out, name));
  return new Map([
    ...texts,
    ...[...created].map(([name, text]) => [slashed(name), text] as const),
    ...(result.generated?.files ?? []).map(({ path: name, text }) => [path(name), text] as const),
    ...result.changes.removed.map((name) => [path(name), undefined] as const),
  ]);
}

interface Writing {
  readonly folder: string;
  readonly prepared: Prepared;
  /** New texts of the user's files. */
  readonly texts: ReadonlyMap<string, string>;
  /** Path of the configuration, if the project has a configuration. */
  readonly config: readonly string[];
}

/** Returns the new texts of the configuration and of the user's changed files, by path. */
function changesOf(
  { spec, schema, manifest, versions, aliases }: GenerateRequest,
  { texts, config }: Pick<Writing, "texts" | "config">,
): ReadonlyMap<string, string> {
  const files = defined({ schema, manifest });
  return new Map([
    ...config.flatMap((path) => {
      // The configuration already names the specification.
      if (spec === undefined) return [];
      const text = readFileSync(path, "utf8");
      return changeOf(
        path,
        isConfigModule(path)
          ? changedModule(text, path, { spec, files, versions })
          : changedConfig(text, { spec, files, versions, aliases }),
      );
    }),
    ...[...texts].flatMap(([path, text]) => changeOf(path, text)),
  ]);
}

/**
 * Writes the output, and then the other files.
 *
 * @throws InputError if a file must not be changed, so that nothing was written, or if a file
 *   cannot be written
 */
function writeAll(
  request: UpgradeRequest,
  newRequest: GenerateRequest,
  { folder, prepared, texts, config }: Writing,
): GenerateResult {
  const changes = changesOf(newRequest, { texts, config });
  checkFiles(request, folder, [...changes.keys()]);
  const result = prepared.write();
  for (const [path, text] of changes) writeFile(path, text, request.cwd);
  return result;
}

function writeFile(path: string, text: string, cwd: string): void {
  try {
    replaceFile(path, text);
  } catch (error) {
    throw new InputError({
      location: { file: relative(cwd, path) },
      message: `the file cannot be written, and the upgrade stopped halfway: ${reasonOf(error)}`,
      hint: "Restore the project from version control, and run the upgrade again",
    });
  }
}

/**
 * Returns the new text of a file, or an empty list if the text has not changed. Restores the byte
 * order mark, which the compiler drops.
 */
function changeOf(path: string, text: string): (readonly [path: string, text: string])[] {
  const before = readFileSync(path, "utf8");
  const after = before.startsWith("\uFEFF") && !text.startsWith("\uFEFF") ? `\uFEFF${text}` : text;
  return before === after ? [] : [[path, after]];
}
