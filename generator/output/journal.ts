import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { resolvesInto } from "../../support/real-path.js";
import { isRecord } from "../../support/values.js";
import { replaceFile } from "./replace.js";
import { isRunning, realFolder } from "./swap.js";

/** Name of the folder that keeps the previous state while a change is in progress. */
export const journalFolder = ".a2a-codegen-upgrade";
const journalFile = "journal.json";
/** Name of the file whose change time authenticates the journal. */
const sealFile = "seal";

/** State before a change: each path, and whether a file or folder existed there. */
interface Journal {
  readonly process: number;
  /**
   * Change time of the seal file in nanoseconds. Only the file system can set this time, so the author of an archive or
   * repository cannot forge a journal. Only a journal that was written in this folder is trusted.
   */
  readonly seal: string;
  readonly paths: readonly { readonly path: string; readonly existed: boolean }[];
}

/** Interrupted change, with a function that restores the previous state of its files. */
export interface Interrupted {
  /**
   * Files and folders that are restored, or removed because they did not exist, relative to the folder of the journal.
   */
  readonly paths: readonly string[];
  readonly undo: () => void;
}

/**
 * Changes files and folders of a project atomically. Keeps the previous state until the end, and restores it if
 * `change` throws. If the process ends during the change, the next run finds the journal with {@link findInterrupted}.
 * `paths` are the absolute paths of all files and folders that may change. They need not be below `folder`.
 */
export function changeAll<T>(folder: string, paths: readonly string[], change: () => T): T {
  const aside = join(folder, journalFolder);
  const targets = paths.map(realFolder);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside);
  // Prevent the saved files from being committed to a repository.
  writeFileSync(join(aside, ".gitignore"), "*\n");
  writeFileSync(join(aside, sealFile), "");
  const entries = targets.map((path, index) => {
    const existed = existsSync(path);
    if (existed) copy(path, join(aside, String(index)));
    return { path: relative(folder, path), existed };
  });
  const journal: Journal = { process: process.pid, seal: sealOf(aside) ?? "", paths: entries };
  // Write the journal last, because its absence means that nothing has been changed.
  replaceFile(join(aside, journalFile), JSON.stringify(journal));
  try {
    const result = change();
    discard(aside);
    return result;
  } catch (error) {
    restore(folder, journal);
    throw error;
  }
}

/**
 * Finds an interrupted change, without changing anything. `roots` are the folders that the change may have modified.
 *
 * @throws InputError if the change is still running, if its journal cannot be read or was not written in this folder,
 *   or if the journal names a path outside `roots`
 */
export function findInterrupted(folder: string, roots: readonly string[]): Interrupted | undefined {
  const aside = join(folder, journalFolder);
  if (!existsSync(join(aside, journalFile))) return undefined;
  if (!isOwn(aside)) throw refusal("the journal contains links instead of files");
  const journal = readJournal(aside);
  if (journal.process > 0 && journal.process !== process.pid && isRunning(journal.process)) {
    const message = `an upgrade of this project is running (process ${journal.process})`;
    const hint = `Wait until it ends; if the process is another program, set "process" to 0 in ${journalFile}`;
    throw new InputError({ location: { file: journalFolder }, message, hint });
  }
  const paths = journal.paths.map(({ path }) => path);
  // Restoring overwrites and removes files, so an upgrade must be allowed to change every path.
  const foreign = paths.find((path) => isOfGit(path) || !resolvesInto(join(folder, path), roots));
  if (foreign !== undefined)
    throw refusal(`the journal lists "${foreign}", which is not a file that an upgrade of this project changes`);
  return { paths, undo: () => restore(folder, journal) };
}

function readJournal(aside: string): Journal {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(aside, journalFile), "utf8"));
  } catch {
    value = undefined;
  }
  if (!isJournal(value)) throw refusal("the journal of an interrupted upgrade cannot be read");
  if (value.seal !== sealOf(aside)) throw refusal("the journal belongs to an upgrade in another folder");
  const isKept = (index: number): boolean => {
    const kept = lstatSync(join(aside, String(index)), { throwIfNoEntry: false });
    return kept !== undefined && !kept.isSymbolicLink();
  };
  if (!value.paths.every(({ existed }, index) => !existed || isKept(index)))
    throw refusal("the journal of an interrupted upgrade lists files that have no backup");
  return value;
}

function refusal(message: string): InputError {
  const hint = `Restore the files from version control if needed, and remove the folder ${journalFolder}`;
  return new InputError({ location: { file: join(journalFolder, journalFile) }, message, hint });
}

/**
 * Returns whether the journal consists of a real folder with real files. With a symbolic or hard link, a forged journal
 * could have the change time of another file.
 */
function isOwn(aside: string): boolean {
  const [folder, ...files] = [aside, join(aside, sealFile), join(aside, journalFile)].map((path) =>
    lstatSync(path, { throwIfNoEntry: false }),
  );
  return folder?.isDirectory() === true && files.every((file) => file?.isFile() === true && file.nlink === 1);
}

/** Returns whether a path is in a `.git` folder, whose files can be programs that git runs later. */
function isOfGit(path: string): boolean {
  return path.split(/[/\\]/).some((part) => part.toLowerCase() === ".git");
}

function sealOf(aside: string): string | undefined {
  return statSync(join(aside, sealFile), { bigint: true, throwIfNoEntry: false })?.ctimeNs.toString();
}

function isJournal(value: unknown): value is Journal {
  if (!isRecord(value) || typeof value["process"] !== "number" || typeof value["seal"] !== "string") return false;
  const paths: unknown = value["paths"];
  const isEntry = (entry: unknown): boolean =>
    isRecord(entry) && typeof entry["path"] === "string" && typeof entry["existed"] === "boolean";
  return Array.isArray(paths) && paths.every(isEntry);
}

function restore(folder: string, { paths }: Journal): void {
  const aside = join(folder, journalFolder);
  for (const [index, { path, existed }] of paths.entries()) {
    const target = join(folder, path);
    const kept = join(aside, String(index));
    // Remove the journal only after the loop, so that an interrupted restoration can be repeated.
    if (existed && !statSync(kept).isDirectory()) replaceFile(target, readFileSync(kept), statSync(kept).mode);
    else {
      rmSync(target, { recursive: true, force: true });
      if (existed) copy(kept, target);
    }
  }
  discard(aside);
}

/** Copies a file or a folder. Does not follow symbolic links. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** Removes the saved state. Removes the journal first, so that a partly removed state is never restored. */
function discard(aside: string): void {
  rmSync(join(aside, journalFile), { force: true });
  rmSync(aside, { recursive: true, force: true });
}
