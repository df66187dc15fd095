import { sep } from "node:path";

/** Returns a path with slashes, also on Windows. */
export function withSlashes(path: string): string {
  return path.split(sep).join("/");
}

/** Returns whether a path contains a step to the parent folder. */
export function hasParentStep(path: string): boolean {
  return path.split(/[/\\]/).includes("..");
}
