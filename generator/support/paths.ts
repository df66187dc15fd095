import { sep } from "node:path";

/** A path with slashes, whatever the system puts between folders. */
export function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
