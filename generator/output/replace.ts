import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { realFolder } from "./swap.js";

/**
 * Writes a temporary file next to `target`, to which it can then be renamed, and returns its path.
 * If a file already exists at this path, it is removed first, because it could be a symbolic link
 * to another location.
 */
export function writeTemporary(
  target: string,
  text: string,
  {
    kind = "new",
    mode,
  }: { readonly kind?: "new" | "old"; readonly mode?: number | undefined } = {},
): string {
  const path = join(dirname(target), `.${basename(target)}.a2a-codegen-${kind}`);
  rmSync(path, { force: true });
  // The flag makes the call fail if the path exists, even as a dangling symbolic link.
  writeFileSync(path, text, { flag: "wx", ...(mode !== undefined && { mode }) });
  if (mode !== undefined) chmodSync(path, mode);
  return path;
}

/**
 * Replaces a file atomically. If the path is a symbolic link, replaces the target of the link. The
 * mode of the file does not change.
 */
export function replaceFile(path: string, text: string): void {
  const target = realFolder(path);
  mkdirSync(dirname(target), { recursive: true });
  const mode = lstatSync(target, { throwIfNoEntry: false })?.mode;
  renameSync(writeTemporary(target, text, { mode }), target);
}

/** Writes a file atomically. If the path is a symbolic link, replaces the link itself. */
export function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  renameSync(writeTemporary(path, text), path);
}

/** Creates a file that belongs to the user, unless it exists. Returns whether it was created. */
export function createOnce(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  writeAtomically(path, text);
  return true;
}
