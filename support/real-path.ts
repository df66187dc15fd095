import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { InputError } from "./diagnostics.js";

/**
 * Returns the path of a file or folder after resolving all symbolic links. Neither the file nor the
 * targets of links need to exist.
 *
 * @throws InputError if links are circular
 */
export function realPathOf(path: string, followed: readonly string[] = []): string {
  if (followed.includes(path))
    throw new InputError({ message: `"${path}" is a link to itself`, hint: "Remove it" });
  // `realpathSync` fails if the target of a link does not exist, so this code must follow such
  // links itself.
  if (isLink(path))
    return realPathOf(resolve(dirname(path), readlinkSync(path)), [...followed, path]);
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above, followed), basename(path));
  }
}

/** Returns whether a path is a symbolic link, even if its target does not exist. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/**
 * Returns whether a path is one of the given folders, or inside one of them, after all links are
 * resolved.
 */
export function resolvesInto(path: string, folders: readonly string[]): boolean {
  const target = realPathOf(path);
  return folders.some((folder) => isIn(target, realPathOf(folder)));
}

/**
 * Returns whether symbolic links lead from a path in one of the given folders to a location outside
 * all of them. If no given folder contains the path, its parent folder is used instead.
 */
export function resolvesOutside(path: string, folders: readonly string[]): boolean {
  const isWithin = folders.some((folder) => isIn(path, folder));
  return !resolvesInto(path, isWithin ? folders : [dirname(path)]);
}

function isIn(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !/^\.\.[/\\]/.test(inside) && !isAbsolute(inside);
}
