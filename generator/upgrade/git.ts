import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { InputError } from "../../support/diagnostics.js";

/**
 * Options for every run of git. The configuration of a repository can name programs to execute,
 * such as monitors and hooks, and may come from an untrusted archive or from a bare repository
 * among the files of a clone. The options disable all such programs.
 */
const safely = [
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "safe.bareRepository=explicit"],
];

/**
 * Environment for every run of git. In a partial clone, git fetches missing objects with programs
 * that the configuration names. The first variable prevents this, because it allows no protocol and
 * takes precedence over the configuration.
 */
const environment = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" };

/**
 * Checks that the repository has no uncommitted changes and that git does not ignore `paths`, so
 * that git can undo every change of an upgrade.
 *
 * @throws InputError if git could not undo the upgrade, or if the project is not in a git
 *   repository
 */
export function checkCommitted(folder: string, paths: readonly string[], cwd: string): void {
  const root = repositoryOf(folder);
  if (root === undefined) {
    const message =
      "the project is not under version control with git, so the upgrade could not be undone";
    throw new InputError({ message, hint: "Commit it, or use --force" });
  }
  const changed = changedIn(root).map((path) => relative(cwd, path));
  if (changed.length > 0) {
    const more = changed.length > shownNames ? [`${changed.length - shownNames} more`] : [];
    const message =
      "the repository has uncommitted changes: " +
      [...changed.slice(0, shownNames), ...more].join(", ");
    throw new InputError({ message, hint: "Commit or stash your changes, or use --force" });
  }
  const ignored = ignoredBy(folder, paths);
  if (ignored.length === 0) return;
  throw new InputError(
    ...ignored.map((path) => ({
      location: { file: relative(cwd, path) },
      message: "git ignores the file, so the upgrade could not be undone",
      hint: "Save it elsewhere, and use --force",
    })),
  );
}

/** Number of changed files that a message names. */
const shownNames = 5;

/** Returns the paths that git ignores. */
function ignoredBy(folder: string, paths: readonly string[]): string[] {
  const nameOf = (path: string): string => relative(folder, path);
  // `git check-ignore` exits with 1 if it does not ignore any of the paths, which is not an error.
  const { stdout } = spawnSync("git", [...safely, "check-ignore", "-z", "--stdin"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...environment },
    input: paths.map(nameOf).join("\0"),
  });
  const ignored = new Set(stdout.split("\0"));
  return paths.filter((path) => ignored.has(nameOf(path)));
}

/**
 * Returns the root folder of the enclosing repository; `undefined` if git is not installed, or
 * outside a repository.
 */
export function repositoryOf(folder: string): string | undefined {
  try {
    return git(folder, "rev-parse", "--show-toplevel").trimEnd();
  } catch {
    return undefined;
  }
}

/** Runs git in a folder, and returns the output of git. Throws if git fails. */
function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", [...safely, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 28,
  });
}

/**
 * Returns the absolute paths of files in a repository that differ from the last commit.
 *
 * `git status` would run the clean filters that the attributes and the configuration of the
 * repository name. Therefore, this function only lets git list its entries, and compares the files
 * itself.
 */
function changedIn(root: string): string[] {
  const staged = entriesOf(git(root, "ls-files", "--stage", "-z"));
  const untracked = git(
    root,
    "ls-files",
    "--others",
    "--exclude-standard",
    "--directory",
    "--no-empty-directory",
    "-z",
  );
  const committed = committedIn(root);
  const changed = [...new Set([...staged.keys(), ...committed.keys()])].filter((name) => {
    const entry = staged.get(name);
    return entry === undefined || entry !== committed.get(name) || !isUnchanged(root, name, entry);
  });
  return [...changed, ...untracked.split("\0").filter((name) => name !== "")].map((name) =>
    join(root, name),
  );
}

/** Returns the entries of the last commit; empty before the first commit. */
function committedIn(root: string): Map<string, string> {
  try {
    return entriesOf(git(root, "ls-tree", "-r", "-z", "HEAD"));
  } catch {
    return new Map();
  }
}

/**
 * Parses a list of `git ls-files --stage` or `git ls-tree`: the mode and hash of each file, by
 * name.
 */
function entriesOf(list: string): Map<string, string> {
  const lines = list.split("\0").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", ...rest] = line.slice(0, tab).split(" ");
      return [
        line.slice(tab + 1),
        `${mode} ${rest.find((part) => /^[0-9a-f]{40,}$/.test(part)) ?? ""}`,
      ];
    }),
  );
}

/**
 * Returns whether a file has the content of its entry: directly, after converting Windows line
 * ends, or as a file in Git LFS, whose entry contains the hash of the content.
 */
function isUnchanged(root: string, name: string, entry: string): boolean {
  const path = join(root, name);
  const [mode = "", hash = ""] = entry.split(" ");
  // The entry of a submodule is a commit of another repository, and has no content to compare.
  if (mode === "160000") return true;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // The content that git stores for a symbolic link is its target.
  if (stats?.isSymbolicLink() === true)
    return blobHash(Buffer.from(readlinkSync(path)), hash) === hash;
  if (stats?.isFile() !== true) return false;
  const content = readFileSync(path);
  if (blobHash(content, hash) === hash) return true;
  // Latin-1 maps every byte to one character and back, so only the line ends change.
  const withLineFeeds = Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  if (blobHash(withLineFeeds, hash) === hash) return true;
  return blobOf(root, hash).includes(
    `\noid sha256:${createHash("sha256").update(content).digest("hex")}\n`,
  );
}

/** Returns the content of an entry; an empty string if it is missing or too large. */
function blobOf(root: string, hash: string): string {
  try {
    return git(root, "cat-file", "blob", hash);
  } catch {
    return "";
  }
}

/** Returns git's hash of some content, using the algorithm of another hash in the repository. */
function blobHash(content: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex");
}
