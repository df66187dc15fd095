import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { InputError, type Diagnostic } from "../../support/diagnostics.js";
import { isLink, resolvesOutside, realPathOf } from "../../support/real-path.js";
import type { OutputFile } from "../core/contract.js";
import { compareFile, editOf, isAsGenerated, type Hashes } from "./hashes.js";
import { lockFile, type Lock } from "./lock.js";
import {
  temporaryFolder,
  canCreateIn,
  carryOver,
  foldersAbove,
  nearestAbove,
  realFolder,
  remove,
  swap,
} from "./swap.js";

/** Changes that a run makes to the output folder. */
export interface Changes {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Throws an `InputError` for an invalid output folder: a file, a project, the working directory, a
 * path below a file, or a path that leads out of the project's `folders` through a symbolic link.
 * `name` is the path relative to the working directory.
 */
export function checkFolder(out: string, name: string, folders: readonly string[]): void {
  const refuse = (message: string, hint: string): never => {
    throw new InputError({ message: `the output folder "${name}" ${message}`, hint });
  };
  const own = "Use a separate folder with --out, such as src/a2a";
  if (!statSync(nearestAbove(out)).isDirectory()) refuse("is below a file", own);
  if (resolvesOutside(out, folders))
    refuse(
      `is a link to "${realPathOf(out)}", outside the project`,
      "Remove the link, or specify its target with --out",
    );
  if (existsSync(out) && !statSync(out).isDirectory()) refuse("is not a folder", own);
  if (["package.json", ".git", "node_modules"].some((entry) => existsSync(join(out, entry))))
    refuse("is the folder of a project", own);
  if (name.split(/[/\\]/).every((part) => part === ".."))
    refuse("contains the working directory", own);
}

/**
 * Throws an `InputError` unless the output folder can be replaced. This requires write permission
 * for the output folder, its parent and every folder in it. The error names the read-only folders.
 */
export function checkReplaceable(out: string, name: string): void {
  const target = realFolder(out);
  const shown = (path: string): string => (target === out ? join(name, relative(out, path)) : path);
  const above = nearestAbove(target);
  const hint = "Change its permissions, or use another output folder with --out";
  if (!canCreateIn(above)) {
    const message =
      `the folder "${shown(above)}" is read-only, so the output folder "${name}" cannot be ` +
      "created in it";
    throw new InputError({ message, hint });
  }
  const locked = existsSync(target) ? foldersIn(target).filter((path) => !isWritable(path)) : [];
  const refused = locked.map((path) => {
    const message = `the folder "${shown(path)}" is read-only, so the output cannot be replaced`;
    return { message, hint };
  });
  if (refused.length > 0) throw new InputError(...refused);
}

/**
 * Returns a folder and all folders below it, without entering read-only folders, which may be
 * unreadable.
 */
function foldersIn(folder: string): string[] {
  if (!isWritable(folder)) return [folder];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return [folder, ...entries.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

/**
 * Throws an `InputError` if a path cannot be used for a file of the user, such as the path of a
 * folder. `willBeCreated` is true if the file will be created, and `what` is the name of the file.
 */
export function checkFile(
  path: string,
  shown: string,
  { willBeCreated, what = "program" }: { readonly willBeCreated: boolean; readonly what?: string },
): void {
  const refuse = (message: string): never => {
    const hint = "Use a file with --agent or --implementation, such as src/agent.ts";
    throw new InputError({ message: `the ${what} "${shown}" ${message}`, hint });
  };
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) refuse("is a folder");
    if (!statSync(path).isFile()) refuse("is a device, a pipe or a socket, not a file");
    return;
  }
  const folder = nearestAbove(path);
  if (!statSync(folder).isDirectory()) refuse("is below a file");
  if (willBeCreated && !canCreateIn(folder)) refuse("is in a read-only folder");
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Folder of the output, and rules for changing its files. */
export interface Destination {
  readonly out: string;
  /** Path of the folder, as shown in messages. */
  readonly shown: string;
  readonly lock: Lock | undefined;
  /** Whether to overwrite edited files. */
  readonly force: boolean;
}

/**
 * Compares the output with the files on disk. `expected` contains the hashes of the files to write.
 * A file that only a formatter has changed counts as unchanged, and is kept if its normal form is
 * up to date.
 *
 * @throws InputError if a run would overwrite edited files
 */
export function planChanges({ out, shown, lock, force }: Destination, expected: Hashes): Changes {
  const known = new Set(Object.keys(lock?.files ?? {}));
  const paths = Object.keys(expected.files);
  refuseLinks(out, shown, [...paths, ...known]);
  const isCurrent = (path: string): boolean => isAsGenerated(compareFile(out, path, expected));
  const [unchanged, written] = [paths.filter(isCurrent), paths.filter((path) => !isCurrent(path))];
  const stale = [...known].filter(
    (path) => !Object.hasOwn(expected.files, path) && existsSync(join(out, path)),
  );
  const edited = [...written, ...stale].filter((path) => {
    const state = compareFile(out, path, lock);
    return state !== "missing" && !isAsGenerated(state);
  });
  const refused = edited.flatMap((path): Diagnostic[] => {
    const location = { file: join(shown, path) };
    if (compareFile(out, path, lock) === "folder")
      return [
        {
          location,
          message: "a folder has the path of a generated file",
          hint: "Move it elsewhere",
        },
      ];
    if (known.has(path)) {
      const hint = "Move the edits elsewhere, or overwrite them with --force";
      return [{ location, message: `the file was ${editOf(path, lock)}`, hint }];
    }
    return [
      {
        location,
        message: "a file that was not generated has the path of a generated file",
        hint: "Move it, or use --force",
      },
    ];
  });
  // `--force` overwrites files, but never removes a user's folder.
  if (
    refused.length > 0 &&
    (!force || refused.some(({ message }) => message.startsWith("a folder")))
  )
    throw new InputError(...refused);
  return { written, unchanged, removed: stale };
}

/**
 * Throws an `InputError` if the path of a file leads through a symbolic link below the output
 * folder.
 */
function refuseLinks(out: string, shown: string, paths: readonly string[]): void {
  const folders = new Set(paths.flatMap(foldersAbove));
  const links = [...folders].filter((folder) => isLink(join(out, folder)));
  const refused = links.map((folder): Diagnostic => {
    const message = "a link has the path of a folder of the output";
    return {
      location: { file: join(shown, folder) },
      message,
      hint: "Remove the link; its target is not changed",
    };
  });
  if (refused.length > 0) throw new InputError(...refused);
}

/**
 * Replaces the output folder as a whole. Prepares the new content in a folder next to it, and then
 * swaps the two folders. Unchanged files, and files that were not generated, are kept.
 *
 * @throws InputError if another run interferes
 */
export function writeOutput(
  out: string,
  files: readonly OutputFile[],
  lock: Lock,
  changes: Changes,
): void {
  const target = realFolder(out);
  const fresh = temporaryFolder(target, "new");
  try {
    prepareFolder(fresh);
    if (existsSync(target)) chmodSync(fresh, statSync(target).mode);
    const replaced = new Set([...changes.written, ...changes.removed, lockFile]);
    // Keep the time of unchanged files, so that compilers and watchers do not process them again.
    if (existsSync(target)) carryOver(target, fresh, replaced);
    const written = new Set(changes.written);
    for (const { path, text } of files) if (written.has(path)) writeInto(fresh, path, text);
    writeInto(fresh, lockFile, `${JSON.stringify(lock, null, 2)}\n`);
    swap(target, fresh);
  } finally {
    remove(fresh);
  }
}

/**
 * Creates an empty folder. If an entry with this name exists, removes it first, because it could be
 * a link to another location.
 */
function prepareFolder(folder: string): void {
  remove(folder);
  mkdirSync(dirname(folder), { recursive: true });
  // Do not set `recursive`, so that the call fails if another process has created the path in the
  // meantime.
  mkdirSync(folder);
}

function writeInto(folder: string, path: string, text: string): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
