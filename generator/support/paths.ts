import { sep } from "node:path";

/** Returns a path with slashes, also on Windows. */
export function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
