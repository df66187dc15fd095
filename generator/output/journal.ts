import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { InputError } from "../support/diagnostics.js";
import { leadsInto } from "../support/real-path.js";
import { isRecord } from "../support/values.js";
import { replaceFile } from "./replace.js";
import { isRunning, realFolder } from "./swap.js";

/** The folder that holds what a change in progress would have to bring back. */
export const journalFolder = ".a2a-codegen-upgrade";
const journalFile = "journal.json";
/** The file whose time seals the journal. */
const sealFile = "seal";

/** What was there before a change: each path, and whether anything was at it. */
interface Journal {
  readonly process: number;
  /**
   * The time at which the seal was made, in nanoseconds. The file system alone sets it: who puts a journal into an archive
   * or a repository cannot know it, so only those that were written in this place are believed.
   */
  readonly seal: string;
  readonly paths: readonly { readonly path: string; readonly existed: boolean }[];
}

/** A change that was interrupted, and what brings back the files as they were before it. */
export interface Interrupted {
  /** The files and folders that come back, or go because they were not there, relative to the folder of the journal. */
  readonly paths: readonly string[];
  readonly undo: () => void;
}

/**
 * Changes files and folders of a project so that all of it stays, or nothing: what was there before is kept aside until
 * the end, and comes back where `change` throws. If the process is ended on the way, {@link findInterrupted} of the next
 * run finds it. `paths` names everything that may change, absolute, below `folder` or not.
 */
export function changeAll<T>(folder: string, paths: readonly string[], change: () => T): T {
  const aside = join(folder, journalFolder);
  const targets = paths.map(realFolder);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside);
  writeFileSync(join(aside, ".gitignore"), "*\n");
  writeFileSync(join(aside, sealFile), "");
  const entries = targets.map((path, index) => {
    const existed = existsSync(path);
    if (existed) copy(path, join(aside, String(index)));
    return { path: relative(folder, path), existed };
  });
  const journal: Journal = { process: process.pid, seal: sealOf(aside) ?? "", paths: entries };
  // The journal comes last: without it, nothing has been changed yet.
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
 * Finds a change that was interrupted, and changes nothing itself. `roots` are the folders that it may have changed.
 *
 * @throws InputError if the change is still going on, if its journal cannot be read or was not written in this place, or
 *   if the journal names something outside of `roots`.
 */
export function findInterrupted(folder: string, roots: readonly string[]): Interrupted | undefined {
  const aside = join(folder, journalFolder);
  if (!existsSync(join(aside, journalFile))) return undefined;
  if (!isOwn(aside)) throw refusal("the journal has links in the place of files");
  const journal = readJournal(aside);
  if (journal.process > 0 && journal.process !== process.pid && isRunning(journal.process)) {
    const message = `an upgrade of this project is going on (process ${journal.process})`;
    const hint = `Wait until it has ended; if the process is another program, set "process" to 0 in ${journalFile}`;
    throw new InputError({ location: { file: journalFolder }, message, hint });
  }
  const paths = journal.paths.map(({ path }) => path);
  const foreign = paths.find((path) => isOfGit(path) || !leadsInto(join(folder, path), roots));
  if (foreign !== undefined) throw refusal(`the journal names "${foreign}", which no upgrade of this project changes`);
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
  if (value.seal !== sealOf(aside)) throw refusal("the journal is of an upgrade that was not run in this place");
  const isKept = (index: number): boolean => {
    const kept = lstatSync(join(aside, String(index)), { throwIfNoEntry: false });
    return kept !== undefined && !kept.isSymbolicLink();
  };
  if (!value.paths.every(({ existed }, index) => !existed || isKept(index)))
    throw refusal("the journal of an interrupted upgrade names files that were not kept");
  return value;
}

function refusal(message: string): InputError {
  const hint = `Bring back the files from version control where that is needed, and remove the folder ${journalFolder}`;
  return new InputError({ location: { file: join(journalFolder, journalFile) }, message, hint });
}

/** Returns whether a journal is no link itself, and has no links: they would lend it the times of other files. */
function isOwn(aside: string): boolean {
  const [folder, ...files] = [aside, join(aside, sealFile), join(aside, journalFile)].map((path) =>
    lstatSync(path, { throwIfNoEntry: false }),
  );
  return folder?.isDirectory() === true && files.every((file) => file?.isFile() === true && file.nlink === 1);
}

/** Returns whether a path leads into the folder of git, whose files are programs that run later. */
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
    if (existed && !statSync(kept).isDirectory()) replaceFile(target, readFileSync(kept), statSync(kept).mode);
    else {
      rmSync(target, { recursive: true, force: true });
      if (existed) copy(kept, target);
    }
  }
  discard(aside);
}

/** Copies a file or a folder, in which links stay as they are. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** Removes what was kept aside. The journal goes first: without it, nothing is left to bring back. */
function discard(aside: string): void {
  rmSync(join(aside, journalFile), { force: true });
  rmSync(aside, { recursive: true, force: true });
}
