import { execFileSync, spawnSync } from "node:child_process";
import { relative } from "node:path";
import { InputError } from "../support/diagnostics.js";

/** Options for every run of git, which would otherwise execute programs that the configuration of a repository names. */
const safely = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/**
 * Checks that files are committed, so that git can undo every change.
 *
 * @throws InputError if files have uncommitted changes or are ignored, with the name of each (those below `out` as one),
 *   or if the project is not in a git repository.
 */
export function checkCommitted(folder: string, out: string, paths: readonly string[], cwd: string): void {
  const changed = status(folder, [...paths, out]);
  if (changed === undefined) {
    const message = "the project is not under version control with git, so the upgrade could not be undone";
    throw new InputError({ message, hint: "Commit it, or upgrade all the same with --force" });
  }
  const [own, generated] = [false, true].map((isBelow) =>
    changed.filter((path) => path.startsWith(`${out}/`) === isBelow),
  );
  const hint = "Commit or stash them, or upgrade all the same with --force";
  const message = "there are changes that are not committed";
  const shown = [...(own ?? []), ...(generated?.length === 0 ? [] : [out])].map((path) => relative(cwd, path));
  if (shown.length > 0) throw new InputError(...shown.map((file) => ({ location: { file }, message, hint })));
  const ignored = ignoredBy(folder, paths);
  if (ignored.length === 0) return;
  throw new InputError(
    ...ignored.map((path) => ({
      location: { file: relative(cwd, path) },
      message: "git ignores the file, so the upgrade could not be undone",
      hint: "Save it elsewhere, and upgrade all the same with --force",
    })),
  );
}

/** Returns those of `paths` that git ignores. */
function ignoredBy(folder: string, paths: readonly string[]): string[] {
  const nameOf = (path: string): string => relative(folder, path);
  const { stdout } = spawnSync("git", [...safely, "check-ignore", "-z", "--stdin"], {
    cwd: folder,
    encoding: "utf8",
    input: paths.map(nameOf).join("\0"),
  });
  const ignored = new Set(stdout.split("\0"));
  return paths.filter((path) => ignored.has(nameOf(path)));
}

/** Returns the folder of the repository that a folder is in; `undefined` without git or a repository. */
export function repositoryOf(folder: string): string | undefined {
  try {
    return git(folder, "rev-parse", "--show-toplevel").trimEnd();
  } catch {
    return undefined;
  }
}

/** Runs git in a folder, and returns what it prints. Throws where it fails. */
function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", [...safely, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 28,
  });
}

/** Returns those of `paths` that differ from the last commit, absolute; `undefined` without git or a repository. */
function status(folder: string, paths: readonly string[]): string[] | undefined {
  try {
    const root = git(folder, "rev-parse", "--show-toplevel").trimEnd();
    const known = paths.map((path) => relative(folder, path));
    const entries = git(folder, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ...known);
    return entries.split("\0").flatMap((entry) => (entry === "" ? [] : [`${root}/${entry.slice(3)}`]));
  } catch {
    return undefined;
  }
}
