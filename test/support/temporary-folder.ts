import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/**
 * Creates an empty folder and returns its path. The folder is deleted after the tests of the file.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "a2a-codegen-"));
  folders.push(folder);
  return folder;
}

/** Deletes all temporary folders. test/support/clean-up.ts calls it after each file. */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
