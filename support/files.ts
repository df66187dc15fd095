import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unixLines } from "./line-ends.js";
import { withSlashes } from "./paths.js";

/** Returns whether a path is a file, or a link to a file. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns whether a path is a folder, or a link to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Returns whether a file belongs to the user, to the superuser, or to the owner of the working
 * directory, such as files of the host in a container. On systems without user ids, every file is
 * trusted.
 */
export function isTrusted(path: string, cwd: string): boolean {
  const user = process.getuid?.();
  return user === undefined || [user, statSync(cwd).uid, 0].includes(statSync(path).uid);
}

/** Returns the files below a folder, as paths with slashes, in alphabetical order. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return entries
    .filter((entry) => isFile(join(folder, entry)))
    .map(withSlashes)
    .sort();
}

/** Reads the files in a folder that have a given extension, by path without the extension. */
export function readFiles(
  folder: string,
  files: readonly string[],
  extension: string,
): Map<string, string> {
  const wanted = files.filter((file) => file.endsWith(extension));
  const read = (file: string): string => unixLines(readFileSync(join(folder, file), "utf8"));
  return new Map(wanted.map((file) => [file.slice(0, -extension.length), read(file)]));
}
