import { relative } from "node:path";
import type { Settings } from "../project/settings.js";
import { InputError } from "../../support/diagnostics.js";
import { resolvesInto } from "../../support/real-path.js";
import { repositoryOf } from "./git.js";

/**
 * Returns the folders that an upgrade may change: the output and the project. The project is the
 * enclosing repository. Outside a repository, it is the folder of the configuration.
 */
export function changeableFolders(folder: string, { out }: Pick<Settings, "out">): string[] {
  return [repositoryOf(folder) ?? folder, out];
}

/** Throws an `InputError` if a file is outside `roots`, directly or through a symbolic link. */
export function refuseOutside(
  paths: readonly string[],
  roots: readonly string[],
  cwd: string,
): void {
  const outside = paths.filter((path) => !resolvesInto(path, roots));
  const refused = outside.map((path) => {
    const message = "the file is outside the project, so the upgrade does not change it";
    return {
      location: { file: relative(cwd, path) },
      message,
      hint: "Replace the link with the file",
    };
  });
  if (refused.length > 0) throw new InputError(...refused);
}
