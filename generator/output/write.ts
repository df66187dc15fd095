import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { InputError, type Diagnostic } from "../support/diagnostics.js";
import { isLink, leadsAway, realPathOf } from "../support/real-path.js";
import type { OutputFile } from "../core/contract.js";
import { compareFile, isAsGenerated, type Hashes } from "./hashes.js";
import { lockFile, type Lock } from "./lock.js";
import { besideOf, canHold, carryOver, foldersAbove, nearestAbove, realFolder, remove, swap } from "./swap.js";

/** What a run changes in the output folder. */
export interface Changes {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Refuses an output folder that cannot be one: a file, a project, what the command runs in, a place below a file, or one
 * that a link leads out of the `folders` of the project to. `name` is its path from the folder of the call.
 */
export function checkFolder(out: string, name: string, folders: readonly string[]): void {
  const refuse = (message: string, hint: string): never => {
    throw new InputError({ message: `the output folder "${name}" ${message}`, hint });
  };
  const own = "Name a folder of its own behind --out, such as src/a2a";
  if (!statSync(nearestAbove(out)).isDirectory()) refuse("lies below a file", own);
  if (leadsAway(out, folders))
    refuse(`leads to "${realPathOf(out)}", out of the project`, "Remove the link, or name that folder behind --out");
  if (existsSync(out) && !statSync(out).isDirectory()) refuse("is not a folder", own);
  if (["package.json", ".git", "node_modules"].some((entry) => existsSync(join(out, entry))))
    refuse("is a whole project", own);
  if (name.split(/[/\\]/).every((part) => part === "..")) refuse("holds the folder that the command runs in", own);
}

/**
 * Refuses an output folder that cannot be replaced, which takes leave to write to the folder that it is in, to itself and
 * to every folder in it. Throws an `InputError` that names those where that is not so.
 */
export function checkReplaceable(out: string, name: string): void {
  const target = realFolder(out);
  const shown = (path: string): string => (target === out ? join(name, relative(out, path)) : path);
  const above = nearestAbove(target);
  const hint = "Change its permissions, or name another output folder behind --out";
  if (!canHold(above)) {
    const message = `the folder "${shown(above)}" cannot be written to, and the output folder "${name}" goes into it`;
    throw new InputError({ message, hint });
  }
  const locked = existsSync(target) ? foldersIn(target).filter((path) => !isWritable(path)) : [];
  const refused = locked.map((path) => {
    const message = `the folder "${shown(path)}" cannot be written to, and the output is replaced as a whole`;
    return { message, hint };
  });
  if (refused.length > 0) throw new InputError(...refused);
}

/** A folder and all below it, as far as they can be read. */
function foldersIn(folder: string): string[] {
  if (!isWritable(folder)) return [folder];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...entries.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

/** Refuses a path for a file of the user that no file can have. `isWanted` says that the file is to be created. */
export function checkFile(path: string, shown: string, isWanted: boolean): void {
  const refuse = (message: string): never => {
    const hint = "Name a file behind --agent, such as src/agent.ts";
    throw new InputError({ message: `the agent skeleton "${shown}" ${message}`, hint });
  };
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) refuse("is a folder");
    if (!statSync(path).isFile()) refuse("is a device, a pipe or a socket, and not a file");
    return;
  }
  const folder = nearestAbove(path);
  if (!statSync(folder).isDirectory()) refuse("lies below a file");
  if (isWanted && !canHold(folder)) refuse("is in a folder that cannot be written to");
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder that output goes to, and how its files may be treated. */
export interface Destination {
  readonly out: string;
  /** How messages call the folder. */
  readonly shown: string;
  readonly lock: Lock | undefined;
  /** Overwrite what somebody edited. */
  readonly force: boolean;
}

/**
 * Compares the output with what is on disk; `wanted` has the hashes of the files to write. What a formatter changed counts
 * as it was generated, and stays as it is where it says the same. Throws an `InputError` where a run would overwrite
 * somebody's edits.
 */
export function planChanges({ out, shown, lock, force }: Destination, wanted: Hashes): Changes {
  const known = new Set(Object.keys(lock?.files ?? {}));
  const paths = Object.keys(wanted.files);
  refuseLinks(out, shown, [...paths, ...known]);
  const isCurrent = (path: string): boolean => isAsGenerated(compareFile(out, path, wanted));
  const [unchanged, written] = [paths.filter(isCurrent), paths.filter((path) => !isCurrent(path))];
  const stale = [...known].filter((path) => !Object.hasOwn(wanted.files, path) && existsSync(join(out, path)));
  const edited = [...written, ...stale].filter((path) => {
    const state = compareFile(out, path, lock);
    return state !== "missing" && !isAsGenerated(state);
  });
  const refused = edited.flatMap((path): Diagnostic[] => {
    const location = { file: join(shown, path) };
    if (compareFile(out, path, lock) === "folder")
      return [{ location, message: "a folder is where a file has to go", hint: "Move it elsewhere" }];
    const hint = "Move the edits elsewhere, or overwrite them with --force";
    if (known.has(path)) return [{ location, message: "the file was edited by hand", hint }];
    return [{ location, message: "a file that was not generated is in the way", hint: "Move it, or use --force" }];
  });
  if (refused.length > 0 && (!force || refused.some(({ message }) => message.startsWith("a folder"))))
    throw new InputError(...refused);
  return { written, unchanged, removed: stale };
}

/** Throws an `InputError` if the way to one of the files leads through a link below the output folder. */
function refuseLinks(out: string, shown: string, paths: readonly string[]): void {
  const folders = new Set(paths.flatMap(foldersAbove));
  const links = [...folders].filter((folder) => isLink(join(out, folder)));
  const refused = links.map((folder): Diagnostic => {
    const message = "a link is where a folder of the output has to go";
    return { location: { file: join(shown, folder) }, message, hint: "Remove it; what it leads to stays" };
  });
  if (refused.length > 0) throw new InputError(...refused);
}

/**
 * Puts the output in place as a whole: everything is prepared in a folder beside it, then the two change places. Files
 * that do not change, and those that the generator does not know, are carried over as they are. Throws an `InputError`
 * where another run gets in between.
 */
export function writeOutput(out: string, files: readonly OutputFile[], lock: Lock, changes: Changes): void {
  const target = realFolder(out);
  const fresh = besideOf(target, "new");
  try {
    prepareFolder(fresh);
    if (existsSync(target)) chmodSync(fresh, statSync(target).mode);
    const replaced = new Set([...changes.written, ...changes.removed, lockFile]);
    if (existsSync(target)) carryOver(target, fresh, replaced);
    const written = new Set(changes.written);
    for (const { path, text } of files) if (written.has(path)) writeInto(fresh, path, text);
    writeInto(fresh, lockFile, `${JSON.stringify(lock, null, 2)}\n`);
    swap(target, fresh);
  } finally {
    remove(fresh);
  }
}

/** Makes an empty folder. What has its name already is removed and never written into: a link would lead elsewhere. */
function prepareFolder(folder: string): void {
  remove(folder);
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder);
}

function writeInto(folder: string, path: string, text: string): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
