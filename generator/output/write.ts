import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { InputError } from "../diagnostics.js";
import type { OutputFile } from "../generate.js";
import { fileHash, hashOf, lockFile, type Lock } from "./lock.js";

/** What a run changes in the output folder. */
export interface Changes {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
}

/** Refuses an output folder that cannot be one: a file, a project, or a place that cannot be written to. */
export function checkFolder(out: string, name: string): void {
  const refuse = (problem: string, remedy: string): never => {
    throw new InputError({ problem: `the output folder "${name}" ${problem}`, remedy });
  };
  const own = "Name a folder of its own behind --out, such as src/a2a";
  if (existsSync(out) && !statSync(out).isDirectory()) refuse("is a file", own);
  if (["package.json", ".git", "node_modules"].some((entry) => existsSync(join(out, entry))))
    refuse("is a whole project", own);
  let existing = dirname(out);
  while (!existsSync(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) refuse("lies below a file", own);
  try {
    accessSync(existing, constants.W_OK);
    if (existsSync(out)) accessSync(out, constants.W_OK);
  } catch {
    refuse("cannot be written to", "Change its permissions, or name another one behind --out");
  }
}

/** Compares the output with what is on disk. Throws an `InputError` where that would overwrite somebody's edits. */
export function planChanges(
  out: string,
  files: readonly OutputFile[],
  lock: Lock | undefined,
  force: boolean,
): Changes {
  const written: string[] = [];
  const unchanged: string[] = [];
  const edited: string[] = [];
  for (const { path, text } of files) {
    const found = fileHash(join(out, path));
    if (found === hashOf(text)) unchanged.push(path);
    else {
      written.push(path);
      if (found !== undefined && found !== lock?.files[path]) edited.push(path);
    }
  }
  const current = new Set(files.map(({ path }) => path));
  const stale = Object.entries(lock?.files ?? {}).filter(([path]) => !current.has(path) && existsSync(join(out, path)));
  edited.push(...stale.filter(([path, hash]) => fileHash(join(out, path)) !== hash).map(([path]) => path));
  if (edited.length > 0 && !force) {
    const remedy = "Move the edits elsewhere, or overwrite them with --force";
    throw new InputError(
      ...edited.map((path) => ({ place: { file: join(out, path) }, problem: "the file was edited by hand", remedy })),
    );
  }
  return { written, unchanged, removed: stale.map(([path]) => path) };
}

/**
 * Puts the output in place as a whole: everything is prepared in a folder beside it, then the two change places. Files
 * that do not change, and those that the generator does not know, are carried over as they are.
 */
export function writeOutput(out: string, files: readonly OutputFile[], lock: Lock, changes: Changes): void {
  recover(out);
  const fresh = `${out}.a2a-codegen-new`;
  const old = oldFolder(out);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const replaced = new Set([...changes.written, ...changes.removed, lockFile]);
  if (existsSync(out)) carryOver(out, fresh, replaced);
  const written = new Set(changes.written);
  for (const { path, text } of files) if (written.has(path)) writeInto(fresh, path, text);
  writeInto(fresh, lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
}

/** Brings back the output of a run that was ended between the two renames. */
export function recover(out: string): void {
  const old = oldFolder(out);
  if (!existsSync(old)) return;
  if (existsSync(out)) rmSync(old, { recursive: true, force: true });
  else renameSync(old, out);
}

function oldFolder(out: string): string {
  return `${out}.a2a-codegen-old`;
}

function writeInto(folder: string, path: string, text: string): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function carryOver(from: string, to: string, replaced: ReadonlySet<string>): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (entry.isDirectory() || replaced.has(path.split(sep).join("/"))) continue;
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    keep(join(from, path), target);
  }
}

/** Links a file, which keeps its time and identity, or copies it where the disk has no links. */
function keep(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    if (!lstatSync(from).isSymbolicLink()) copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Creates a file that belongs to the user, unless it is there. Tells whether it was created. */
export function createOnce(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${basename(path)}.a2a-codegen-new`);
  writeFileSync(temporary, text);
  renameSync(temporary, path);
  return true;
}
