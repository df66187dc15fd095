import { readFileSync, statSync } from "node:fs";

/**
 * Reads a text file that a user has named.
 *
 * @throws {Error} if the path is not a file, because a device or a pipe may never end, or if the
 *   file has more than `maxBytes` bytes
 */
export function readTextFile(path: string, maxBytes: number): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error("it is not a file");
  if (found.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
  return readFileSync(path, "utf8");
}
