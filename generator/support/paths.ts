import { sep } from "node:path";

/** Returns a path with slashes, also on Windows. */
export function withSlashes(path: string): string {
  return path.split(sep).join("/");
}

/** Returns whether a path has a step to the folder above in it. */
export function leadsUp(path: string): boolean {
  return path.split(/[/\\]/).includes("..");
}
