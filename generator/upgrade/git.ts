import { execFileSync } from "node:child_process";
import { relative } from "node:path";
import { InputError, type Diagnostic } from "../diagnostics.js";

/**
 * Refuses to change files that hold what no commit has, so that every change can be undone with git. Throws an
 * `InputError` that names them, or says that git knows nothing of the project.
 */
export function checkCommitted(folder: string, paths: readonly string[], cwd: string): void {
  const remedy = "Commit or stash it, or change it all the same with --force";
  const lines = status(folder, paths);
  if (lines === undefined) {
    const problem = "the project is not under version control with git, so the upgrade could not be undone";
    throw new InputError({ problem, remedy: "Commit it, or upgrade all the same with --force" });
  }
  const changed = lines.map((path): Diagnostic => {
    const problem = "the file has changes that are not committed";
    return { place: { file: relative(cwd, path) }, problem, remedy };
  });
  if (changed.length > 0) throw new InputError(...changed);
}

/** The files among `paths` that differ from the last commit, absolute; `undefined` without git or a repository. */
function status(folder: string, paths: readonly string[]): string[] | undefined {
  try {
    const git = (...args: string[]): string =>
      execFileSync("git", args, {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: 2 ** 28,
      });
    const root = git("rev-parse", "--show-toplevel").trimEnd();
    const known = paths.map((path) => relative(folder, path));
    const entries = git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ...known);
    return entries.split("\0").flatMap((entry) => (entry === "" ? [] : [`${root}/${entry.slice(3)}`]));
  } catch {
    return undefined;
  }
}
