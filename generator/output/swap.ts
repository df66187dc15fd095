import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { InputError, reasonOf } from "../../support/diagnostics.js";
import { withSlashes } from "../../support/paths.js";
import { isLink, realPathOf } from "../../support/real-path.js";
import { lockFile, readLock } from "./lock.js";

const mark = ".a2a-codegen-";

/**
 * Returns the prefix of temporary folders next to the output. It starts with a dot, so that
 * compilers and other tools ignore folders that remain after a crash.
 */
function prefixOf(target: string): string {
  return `.${basename(target)}${mark}`;
}

/** Returns the path of this process's temporary folder next to the output. */
export function temporaryFolder(target: string, kind: "new" | "old"): string {
  return join(dirname(target), `${prefixOf(target)}${kind}.${process.pid}`);
}

const trialName = ".a2a-codegen-trial";

/**
 * Returns whether a folder can be created inside `folder`. Creates a folder to find out, because
 * some file systems report permissions that they do not grant.
 */
export function canCreateIn(folder: string): boolean {
  const trial = join(folder, `${trialName}.${process.pid}`);
  try {
    if (!existsSync(trial)) mkdirSync(trial);
    rmdirSync(trial);
    return true;
  } catch {
    return false;
  }
}

/** Returns the nearest existing folder above a path. */
export function nearestAbove(path: string): string {
  const above = dirname(path);
  return existsSync(above) ? above : nearestAbove(above);
}

/**
 * Returns the target of a symbolic link, so that a run replaces the target and keeps the link.
 * Returns any other path unchanged.
 */
export function realFolder(path: string): string {
  return isLink(path) ? realPathOf(path) : path;
}

/**
 * Replaces `target` with `fresh` by two renames. If the process ends between the renames,
 * {@link recover} restores the old output.
 */
export function swap(target: string, fresh: string): void {
  const old = temporaryFolder(target, "old");
  try {
    if (existsSync(target)) renameSync(target, old);
    renameSync(fresh, target);
  } catch (error) {
    // The second rename has failed: restore the old output.
    if (existsSync(old) && !existsSync(target)) renameSync(old, target);
    throw swapFailure(error);
  }
  discard(old, target);
}

function swapFailure(error: unknown): InputError {
  const message = `the output folder cannot be replaced: ${reasonOf(error)}`;
  const isMount =
    error instanceof Error && "code" in error && (error.code === "EBUSY" || error.code === "EXDEV");
  if (isMount)
    return new InputError({
      message,
      hint: "A mount point cannot be replaced: use a folder inside it",
    });
  return new InputError({
    message,
    hint: "Run the command again, and never run two commands on one folder at the same time",
  });
}

/**
 * Restores the old output if a run ended between the two renames, and removes the temporary folders
 * of runs that have ended.
 */
export function recover(out: string): void {
  const target = realFolder(out);
  removeTrials(nearestAbove(target));
  const folder = dirname(target);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefixOf(target)))) {
    const [, kind, id = ""] = /(new|old)\.(\d+)$/.exec(name) ?? [];
    const left = join(folder, name);
    // Runs only create folders. Any other entry, such as a symbolic link, was not created by a run
    // and must not be restored.
    if (lstatSync(left, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    if (kind === "old" && !existsSync(target)) renameSync(left, target);
    else if (kind === undefined || (isRunning(Number(id)) && isFresh(left))) continue;
    else if (kind === "old") discard(left, target);
    else remove(left);
  }
}

function removeTrials(folder: string): void {
  if (!statSync(folder).isDirectory()) return;
  for (const name of readdirSync(folder)) {
    const id = name.startsWith(`${trialName}.`) ? /\.(\d+)$/.exec(name)?.[1] : undefined;
    if (id !== undefined && !isRunning(Number(id))) remove(join(folder, name));
  }
}

/**
 * Maximum age in milliseconds of a temporary folder that belongs to a running process. Process ids
 * are reused, so an older folder is a leftover even if a process with its id is running.
 */
const maxAgeMs = 60_000;

function isFresh(path: string): boolean {
  const changed = lstatSync(path, { throwIfNoEntry: false })?.ctimeMs;
  return changed !== undefined && Date.now() - changed < maxAgeMs;
}

/**
 * Removes a folder that is no longer used. Errors are ignored, because a leftover folder is
 * harmless.
 */
export function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Tools ignore the leftover folder, because its name begins with a dot.
  }
}

/** Returns whether another process with the given id is running. */
function isRunning(id: number): boolean {
  if (id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Removes the previous output. Before that, moves files that were added during the preparation to
 * the new output.
 */
function discard(old: string, target: string): void {
  if (!existsSync(old)) return;
  const generated = new Set([...Object.keys(lockFilesOf(old)), lockFile]);
  carryOver(old, target, generated);
  remove(old);
}

function lockFilesOf(folder: string): Readonly<Record<string, string>> {
  try {
    return readLock(folder, folder)?.files ?? {};
  } catch {
    return {};
  }
}

/**
 * Copies all files from `from` to `to`, except `replaced` files and files that already exist in
 * `to`.
 */
export function carryOver(from: string, to: string, replaced: ReadonlySet<string>): void {
  const replacedFolders = new Set([...replaced].flatMap((path) => foldersAbove(path)));
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    const name = withSlashes(path);
    const [source, target] = [join(from, path), join(to, path)];
    if (entry.isDirectory()) {
      // If a folder only contains generated files, it is removed together with them.
      if (!replacedFolders.has(name)) makeLike(source, target);
    } else if (!replaced.has(name) && lstatSync(target, { throwIfNoEntry: false }) === undefined) {
      makeLike(dirname(source), dirname(target));
      keep(source, target);
    }
  }
}

/** Returns the parent folders of a path with slashes, beginning with the outermost folder. */
export function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function makeLike(source: string, target: string): void {
  if (existsSync(target)) return;
  mkdirSync(target, { recursive: true });
  chmodSync(target, statSync(source).mode);
}

/**
 * Creates a hard link, which keeps the file's time and identity. If the file system does not
 * support hard links, copies the file.
 */
function keep(from: string, to: string): void {
  const info = lstatSync(from);
  if (info.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
    return;
  }
  try {
    linkSync(from, to);
  } catch {
    if (!info.isFile())
      throw new InputError({
        message: `"${from}" is not a regular file, so it cannot be kept`,
        hint: "Move it elsewhere",
      });
    copy(from, to);
  }
}

function copy(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    const [cause] = reasonOf(error).split(",");
    const hint = "Change its permissions, or move it elsewhere";
    throw new InputError({ message: `"${from}" cannot be kept (${cause ?? ""})`, hint });
  }
}
