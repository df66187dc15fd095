import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkCommitted, repositoryOf } from "../../../generator/upgrade/git.js";
import { Project } from "../cli/command.js";

const git = (project: Project, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd: project.folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

/** A repository with files that are committed. */
function repository(files: Readonly<Record<string, string>> = {}, ...init: readonly string[]) {
  const project = new Project({
    "src/a.ts": "a\n",
    "src/b [c]*.ts": "b\n",
    "src/a2a/index.ts": "out\n",
    ...files,
  });
  git(project, "init", "-q", ...init);
  git(project, "add", "-A");
  git(project, "commit", "-q", "-m", "All");
  return project;
}

/** Returns the message with which the check refuses an upgrade; `undefined` if it does not. */
function refusalOf(project: Project) {
  const { folder } = project;
  try {
    checkCommitted(folder, [], folder);
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

const files = ["src/a.ts", "src/b [c]*.ts"];
const uncommitted = (...names: readonly string[]) =>
  `the repository has uncommitted changes: ${names.join(", ")}. Commit or stash your changes, or use --force.`;

describe("the check for uncommitted files", () => {
  it("the check finds exactly the files that are changed, added, staged or removed", () => {
    const project = repository({ "src/d.ts": "d\n", "src/e.ts": "e\n" });
    expect(refusalOf(project)).toBeUndefined();
    project.write({
      "src/a.ts": "changed\n",
      "src/new.ts": "new\n",
      "src/d.ts": "staged\n",
      "src/e.ts": "other\n",
    });
    git(project, "add", "src/d.ts");
    rmSync(project.path("src/b [c]*.ts"));
    expect(refusalOf(project)).toBe(
      uncommitted("src/a.ts", "src/b [c]*.ts", "src/d.ts", "src/e.ts", "src/new.ts"),
    );
  });

  it("the check names five files and counts the others, and names an untracked folder once", () => {
    const project = repository();
    const names = [1, 2, 3, 4, 5, 6, 7].map((number) => `src/n${number}.ts`);
    project.write(
      Object.fromEntries([...names, "more/x.ts", "more/y.ts"].map((path) => [path, "new\n"])),
    );
    expect(refusalOf(project)).toBe(uncommitted("more", ...names.slice(0, 4), "3 more"));
  });

  it("the check ignores files in Git LFS whose content is the committed content", () => {
    const content = "large\n";
    const oid = createHash("sha256").update(content).digest("hex");
    const project = repository({
      "image.png": `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
    });
    project.write({ "image.png": content });
    expect(refusalOf(project)).toBeUndefined();
    project.write({ "image.png": "other\n" });
    expect(refusalOf(project)).toBe(uncommitted("image.png"));
  });

  it.each([[[]], [["--object-format=sha256"]]])(
    "the check works in any repository, such as one created with %j",
    (init) => {
      const project = repository({ "src/ü\t.ts": "u\n" }, ...init);
      symlinkSync("a.ts", project.path("src/link.ts"));
      git(project, "add", "-A");
      git(project, "commit", "-q", "-m", "Link");
      expect(refusalOf(project)).toBeUndefined();
    },
  );

  it("the check ignores files whose line ends git has written as on Windows", () => {
    const project = repository();
    git(project, "config", "core.autocrlf", "true");
    project.write({ "src/a.ts": "a\r\n" });
    expect(refusalOf(project)).toBeUndefined();
  });

  it("the check finds all files before the first commit", () => {
    const project = new Project({ "src/a.ts": "a\n" });
    git(project, "init", "-q");
    git(project, "add", "-A");
    expect(refusalOf(project)).toBe(uncommitted("package.json", "src/a.ts"));
  });
});

describe("git during an upgrade", () => {
  /** A program that leaves a file behind, and hands on what it reads. */
  function withSpy(project: Project) {
    project.write({ "spy.sh": `#!/bin/sh\necho ran >> "${project.path("ran")}"\ncat\n` });
    chmodSync(project.path("spy.sh"), 0o755);
    return project.path("spy.sh");
  }

  /** Lets git believe that files may have changed, so that it would look into them. */
  function touch(project: Project) {
    for (const path of files) utimesSync(project.path(path), 1, 1);
  }

  function configure(project: Project, spy: string) {
    const programs = {
      "filter.evil.clean": spy,
      "filter.evil.smudge": spy,
      "filter.evil.process": spy,
    };
    const settings = {
      ...programs,
      "core.fsmonitor": spy,
      "core.sshCommand": spy,
      "core.pager": spy,
    };
    for (const [key, value] of Object.entries(settings)) git(project, "config", key, value);
    git(project, "config", "core.hooksPath", project.path("hooks"));
  }

  it("git runs no filter, monitor or hook of the repository", () => {
    const project = repository({ ".gitattributes": "* filter=evil\n" });
    configure(project, withSpy(project));
    touch(project);
    expect(refusalOf(project)).toBe(uncommitted("spy.sh"));
    expect(project.has("ran")).toBe(false);
    git(project, "status", "--porcelain");
    expect(project.has("ran")).toBe(true);
  });

  it("git does not use a bare repository among the files of a clone", () => {
    const project = repository({ ".gitattributes": "* filter=evil\n" });
    configure(project, withSpy(project));
    git(project, "config", "core.worktree", project.folder);
    for (const entry of ["HEAD", "config", "objects", "refs", "index"])
      renameSync(project.path(`.git/${entry}`), project.path(entry));
    rmSync(project.path(".git"), { recursive: true });
    touch(project);
    expect(repositoryOf(project.folder)).toBeUndefined();
    expect(refusalOf(project)).toBe(
      "the project is not under version control with git, so the upgrade could not be undone. Commit it, or use --force.",
    );
    expect(project.has("ran")).toBe(false);
  });

  it("git fetches no object that is missing in a partial clone", () => {
    const project = repository();
    const spy = withSpy(project);
    const tree = git(project, "rev-parse", "HEAD^{tree}").trim();
    const settings = {
      "remote.evil.url": `ext::${spy}`,
      "remote.evil.promisor": "true",
      "protocol.ext.allow": "always",
    };
    const version = { "core.repositoryFormatVersion": "1", "extensions.partialClone": "evil" };
    for (const [key, value] of Object.entries({ ...settings, ...version }))
      git(project, "config", key, value);
    rmSync(project.path(`.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`));
    expect(refusalOf(project)).toBeDefined();
    expect(project.has("ran")).toBe(false);
  });
});
