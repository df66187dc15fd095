import { join } from "node:path";
import { packageFolder } from "../../support/package-folder.js";

/**
 * Official SDKs with lists of the rules that their agents break: the language and the version of
 * A2A. `for-0.3` is the support for 0.3 in an SDK for 1.0.
 */
export const sdkNames = [
  "go-1.0",
  "go-1.0-for-0.3",
  "java-0.3",
  "javascript-0.3",
  "javascript-1.0",
  "python-0.3",
  "python-1.0",
  "python-1.0-for-0.3",
  "rust-1.0",
] as const;

/** Returns the path of the list of an SDK; `undefined` if the SDK has no list. */
export function sdkListOf(name: string): string | undefined {
  const known = sdkNames.find((each) => each === name);
  return known && join(packageFolder, "tools", "probe", "sdks", `${known}.txt`);
}
