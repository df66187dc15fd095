import { resolve } from "node:path";
import { readExpectations, type Expectation } from "../probe/expected.js";
import { sdkListOf, sdkNames } from "../probe/sdks.js";
import { InputError, reasonOf } from "../../support/diagnostics.js";
import { readTextFile } from "../../support/read-text-file.js";

/** Maximum size of a list of expected failures in bytes. */
const maxSize = 2 ** 20;

/**
 * Reads lists of expected failures: files of the user, and lists of official SDKs such as
 * `sdk:go-1.0`. Entries of an SDK are optional, because agents on the same SDK differ in their
 * interfaces, and in what the application checks itself.
 *
 * @throws {InputError} if a list does not exist, or cannot be read
 */
export function expectationsOf(lists: readonly string[], cwd: string): Expectation[] {
  return lists.flatMap((list) => {
    if (!list.startsWith("sdk:")) return readExpectations(textOf(resolve(cwd, list), list), list);
    const path = sdkListOf(list.slice("sdk:".length));
    if (path === undefined)
      throw new InputError({
        message: `--expected-failures has no list ${list}`,
        hint: `Choose from sdk:${sdkNames.join(", sdk:")}`,
      });
    const entries = readExpectations(textOf(path, list), list);
    return entries.map((entry) => ({ ...entry, isOptional: true }));
  });
}

function textOf(path: string, file: string): string {
  try {
    return readTextFile(path, maxSize);
  } catch (error) {
    throw new InputError({
      location: { file },
      message: `the expected failures cannot be read: ${reasonOf(error)}`,
      hint: "Check the path",
    });
  }
}
