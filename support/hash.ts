import { createHash } from "node:crypto";

/** Returns the hash of texts or of their bytes, in the form that the lock file contains. */
export function hashOf(...texts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
}
