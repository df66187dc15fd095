import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { InputError } from "../support/diagnostics.js";
import { isRecord } from "../support/values.js";
import { isRunning, realFolder } from "./swap.js";

/** The folder that holds what a change in progress would have to bring back. */
export const journalFolder = ".a2a-codegen-upgrade";
const journalFile = "journal.json";

/** What was there before a change: each path, and whether anything was at it. */
interface Journal {
  readonly process: number;
  readonly paths: readonly { readonly path: string; readonly existed: boolean }[];
}

/**
 * Changes files and folders of a project so that all of it stays, or nothing: what was there before is kept aside until
 * the end, and comes back where `change` throws. If the process is ended on the way, {@link undoInterrupted} of the next
 * run brings it back. `paths` names everything that may change, absolute, below `folder` or not.
 */
export function changeAll<T>(folder: string, paths: readonly string[], change: () => T): T {
  const aside = join(folder, journalFolder);
  const targets = paths.map(realFolder);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  writeFileSync(join(aside, ".gitignore"), "*\n");
  const entries = targets.map((path, index) => {
    const existed = existsSync(path);
    if (existed) cpSync(path, join(aside, String(index)), { recursive: true, preserveTimestamps: true });
    return { path: relative(folder, path), existed };
  });
  // The journal comes last: without it, nothing has been changed yet.
  replaceFile(join(aside, journalFile), JSON.stringify({ process: process.pid, paths: entries } satisfies Journal));
  try {
    const result = change();
    discard(aside);
    return result;
  } catch (error) {
    restore(folder, { process: process.pid, paths: entries });
    throw error;
  }
}

/**
 * Brings back what was there before a change that was interrupted, and returns whether there was one. Throws an
 * `InputError` where the change is still going on, or where its journal cannot be read.
 */
export function undoInterrupted(folder: string): boolean {
  const aside = join(folder, journalFolder);
  if (!existsSync(aside)) return false;
  if (!existsSync(join(aside, journalFile))) {
    rmSync(aside, { recursive: true, force: true });
    return false;
  }
  const journal = readJournal(join(aside, journalFile));
  if (journal.process > 0 && journal.process !== process.pid && isRunning(journal.process)) {
    const message = `an upgrade of this project is going on (process ${journal.process})`;
    const hint = `Wait until it has ended; if the process is another program, set "process" to 0 in ${journalFile}`;
    throw new InputError({ location: { file: journalFolder }, message, hint });
  }
  restore(folder, journal);
  return true;
}

function readJournal(path: string): Journal {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    value = undefined;
  }
  const isWhole = (entry: Journal["paths"][number], index: number): boolean =>
    !entry.existed || existsSync(join(dirname(path), String(index)));
  if (isJournal(value) && value.paths.every(isWhole)) return value;
  const hint = `The files as they were are beside it: bring them back or not, and remove the folder ${journalFolder}`;
  const location = { file: join(journalFolder, journalFile) };
  throw new InputError({ location, message: "the journal of an interrupted upgrade cannot be read", hint });
}

function isJournal(value: unknown): value is Journal {
  if (!isRecord(value) || typeof value["process"] !== "number" || !Array.isArray(value["paths"])) return false;
  const paths: unknown[] = value["paths"];
  return paths.every((entry) => isRecord(entry) && typeof entry["path"] === "string");
}

function restore(folder: string, { paths }: Journal): void {
  const aside = join(folder, journalFolder);
  for (const [index, { path, existed }] of paths.entries()) {
    const target = join(folder, path);
    const kept = join(aside, String(index));
    if (!existed) rmSync(target, { recursive: true, force: true });
    else if (statSync(kept).isDirectory()) {
      rmSync(target, { recursive: true, force: true });
      cpSync(kept, target, { recursive: true, preserveTimestamps: true });
    } else replaceFile(target, readFileSync(kept), statSync(kept).mode);
  }
  discard(aside);
}

/** Removes what was kept aside. The journal goes first: without it, nothing is left to bring back. */
function discard(aside: string): void {
  rmSync(join(aside, journalFile), { force: true });
  rmSync(aside, { recursive: true, force: true });
}

/** Replaces a file as a whole; a symbolic link stays one, and the mode stays unless one is given. */
export function replaceFile(path: string, content: string | Uint8Array, mode?: number): void {
  const target = realFolder(path);
  const temporary = join(dirname(target), `.${basename(target)}.a2a-codegen-new`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(temporary, content);
  const found = lstatSync(target, { throwIfNoEntry: false })?.mode;
  const wanted = mode ?? found;
  if (wanted !== undefined) chmodSync(temporary, wanted);
  renameSync(temporary, target);
}
