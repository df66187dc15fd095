import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { InputError } from "./diagnostics.js";

/**
 * Returns the path that a file or folder has once all symbolic links on the way are followed. It may not exist yet, and
 * neither may what a link leads to.
 *
 * @throws InputError if links lead to each other in a circle.
 */
export function realPathOf(path: string, followed: readonly string[] = []): string {
  if (followed.includes(path))
    throw new InputError({ message: `"${path}" is a link that leads to itself`, hint: "Remove it" });
  if (isLink(path)) return realPathOf(resolve(dirname(path), readlinkSync(path)), [...followed, path]);
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above, followed), basename(path));
  }
}

/** Returns whether there is a symbolic link at a path, wherever it leads. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Returns whether a path leads into one of some folders, or is one of them, once all links are followed. */
export function leadsInto(path: string, folders: readonly string[]): boolean {
  const target = realPathOf(path);
  return folders.some((folder) => isIn(target, realPathOf(folder)));
}

/**
 * Returns whether links lead a path elsewhere than it says: out of all of the folders that it is in, or, where it is in
 * none of them, out of the folder right above it.
 */
export function leadsAway(path: string, folders: readonly string[]): boolean {
  const isWithin = folders.some((folder) => isIn(path, folder));
  return !leadsInto(path, isWithin ? folders : [dirname(path)]);
}

function isIn(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !/^\.\.[/\\]/.test(inside) && !isAbsolute(inside);
}
