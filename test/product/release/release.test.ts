import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { packageFolder } from "../../../support/package-folder.js";
import { outFolder } from "../../support/output.js";

const changelog =
  "# Changelog\n\n## [1.2.0] - Unreleased\n\n### Added\n\n- A thing\n\n## [1.1.0] - 2026-01-01\n\n- Old\n";

/** A repository with a package, in which the release script runs. */
class Repository {
  readonly folder = mkdtempSync(join(outFolder, "release-"));

  constructor({ hasAddress = true, branch = "main", current = "1.1.0" } = {}) {
    this.write(
      "package.json",
      JSON.stringify({ name: "x", version: current, ...(hasAddress && { repository: "a/x" }) }),
    );
    this.write("CHANGELOG.md", changelog);
    this.git("init", "--quiet", "--initial-branch", branch);
    this.git("config", "user.email", "test@example.org");
    this.git("config", "user.name", "test");
    this.git("add", ".");
    this.git("commit", "--quiet", "--message", "Start");
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.folder, encoding: "utf8", stdio: "pipe" }).trim();
  }

  release(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
    const script = join(packageFolder, "build", "release.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      cwd: this.folder,
      encoding: "utf8",
    });
    return { status, text: stdout + stderr };
  }
}

describe("the release script", () => {
  it("the script only prints the steps and the notes by default", () => {
    const repository = new Repository();
    const { status, text } = repository.release("1.2.0", "--date", "2026-12-01");
    expect(status, text).toBe(0);
    expect(text).toContain(
      "## [1.2.0] - 2026-12-01\npackage.json: version 1.2.0\ncommit and tag: v1.2.0\n",
    );
    expect(text).toContain("### Added\n\n- A thing\n\nNothing was written: add --write");
    expect([repository.git("status", "--porcelain"), repository.git("tag")]).toEqual(["", ""]);
  });

  it("the script with --write dates the changelog, sets the version, and creates a commit and a tag", () => {
    const repository = new Repository();
    const { status, text } = repository.release("1.2.0", "--write", "--date", "2026-12-01");
    expect(status, text).toBe(0);
    expect(repository.read("CHANGELOG.md")).toBe(changelog.replace("Unreleased", "2026-12-01"));
    expect(JSON.parse(repository.read("package.json"))).toMatchObject({ version: "1.2.0" });
    expect(repository.git("log", "-1", "--format=%s")).toBe("Release 1.2.0");
    expect(repository.git("tag", "-l", "--format=%(contents)", "v1.2.0")).toBe(
      "v1.2.0\n\n### Added\n\n- A thing",
    );
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(repository.release("notes", "1.2.0").text).toBe("### Added\n\n- A thing\n");
  });

  it("the script gives the library the same version, in each description and in the lock file", () => {
    const repository = new Repository();
    const library = "a2a-codegen-runtime";
    const own = {
      version: "1.1.0",
      repository: "a/x",
      dependencies: { [library]: "1.1.0", y: "2" },
    };
    mkdirSync(join(repository.folder, "library"));
    const packages = {
      "": own,
      library: { name: library, version: "1.1.0" },
      "node_modules/y": {},
    };
    const files = {
      "package.json": { name: "x", ...own },
      "library/package.json": { name: library, version: "1.1.0" },
      "package-lock.json": { name: "x", version: "1.1.0", packages },
    };
    for (const [path, content] of Object.entries(files))
      repository.write(path, JSON.stringify(content));
    repository.git("add", ".");
    repository.git("commit", "--quiet", "--message", "Add a library");
    const { status, text } = repository.release("1.2.0", "--write");
    expect(status, text).toBe(0);
    for (const [path, content] of Object.entries(files)) {
      const expected = JSON.stringify(content).replaceAll('"1.1.0"', '"1.2.0"');
      expect(JSON.stringify(JSON.parse(repository.read(path)))).toBe(expected);
    }
  });

  it("the script generates the outputs again, because they contain the version", () => {
    const repository = new Repository();
    const scripts = { generate: "node -p \"require('./package.json').version\" > output.txt" };
    const description = { name: "x", version: "1.1.0", repository: "a/x", scripts };
    repository.write("package.json", JSON.stringify(description));
    repository.write("output.txt", "1.1.0\n");
    repository.git("add", ".");
    repository.git("commit", "--quiet", "--message", "Add an output");
    expect(repository.release("1.2.0", "--write").status).toBe(0);
    expect(repository.git("show", "v1.2.0:output.txt")).toBe("1.2.0");
  });

  it("the printed command pushes the tag only if it pushes the branch", () => {
    const [repository, remote] = [new Repository(), new Repository({ branch: "other" })];
    repository.git("remote", "add", "origin", remote.folder);
    repository.git("push", "--quiet", "origin", "main");
    remote.git("checkout", "--quiet", "main");
    remote.git("commit", "--quiet", "--allow-empty", "--message", "Change");
    remote.git("checkout", "--quiet", "other");
    const [, command = ""] =
      /^To publish: git (.*)$/m.exec(repository.release("1.2.0", "--write").text) ?? [];
    expect(() => repository.git(...command.split(" "), "--quiet")).toThrow("rejected");
    expect(remote.git("tag")).toBe("");
  });

  it.each([
    ["1.2.0-rc.2", "1.2.0-rc.10", true],
    ["1.2.0-rc.10", "1.2.0", true],
    ["1.2.0", "1.2.0-rc.11", false],
    ["1.2.0-rc.1", "1.1.9", false],
  ])("the script allows a release after %s only if %s is later", (current, version, isAllowed) => {
    const repository = new Repository({ current });
    const { text } = repository.release(version);
    expect(text.includes(`the version is already ${current}`)).toBe(!isAllowed);
  });

  it("the notes belong to the version that is checked out", () => {
    const repository = new Repository();
    expect(repository.release("notes", "1.2.0").text).toContain(
      "but package.json has the version 1.1.0",
    );
    expect(repository.release("notes", "1.1.0")).toMatchObject({ status: 0, text: "- Old\n" });
    repository.write("package.json", JSON.stringify({ version: "1.2.0" }));
    expect(repository.release("notes", "1.2.0")).toMatchObject({ status: 1 });
  });

  it("the script names everything that prevents a release", () => {
    const repository = new Repository({ hasAddress: false, branch: "next" });
    repository.write("new.txt", "");
    repository.git("tag", "v1.0.0");
    expect(repository.release("1.0.0", "--write")).toEqual({
      status: 1,
      text: [
        "The release cannot be made:",
        "- the version is already 1.1.0",
        "- CHANGELOG.md has no section [1.0.0]: add it with the changes since the last release",
        "- `repository` is missing in package.json: npm compares it with the provenance",
        "- the working tree has changes: commit them first",
        "- the branch is not main: releases are made from main",
        "- the tag v1.0.0 exists\n",
      ].join("\n"),
    });
    expect(new Repository().release("one").text).toContain(
      '- "one" is not a version: use three numbers',
    );
    expect(new Repository().release("1.1.0").text).toContain(
      "CHANGELOG.md lists 1.1.0 as released: 2026-01-01",
    );
  });
});

describe("the files for the forge", () => {
  const github = join(packageFolder, ".github");

  it.each(readdirSync(join(github, "ISSUE_TEMPLATE")).filter((file) => file !== "config.yml"))(
    "the issue template %s is a form with required fields",
    (file) => {
      const form = parse(readFileSync(join(github, "ISSUE_TEMPLATE", file), "utf8")) as {
        name: string;
        description: string;
        body: { type: string; id?: string; validations?: { required: boolean } }[];
      };
      expect([typeof form.name, typeof form.description]).toEqual(["string", "string"]);
      expect(form.body.filter(({ type, id }) => type !== "markdown" && id === undefined)).toEqual(
        [],
      );
      expect(form.body.some(({ validations }) => validations?.required === true)).toBe(true);
    },
  );

  it("the release workflow publishes with provenance, after all checks", () => {
    const { jobs } = parse(readFileSync(join(github, "workflows", "release.yml"), "utf8")) as {
      jobs: { publish: { permissions: Record<string, string>; steps: { run?: string }[] } };
    };
    const steps = jobs.publish.steps.flatMap(({ run }) => run ?? []);
    expect(steps[0]).toContain("node build/release.mjs notes");
    expect(steps[1]).toBe("bash .ci/run");
    expect(steps.at(-2)).toMatch(
      /packages\/a2a-codegen-runtime-.*packages\/a2a-codegen-.*\n +npm publish "\$file" --provenance --access public --tag /,
    );
    expect(jobs.publish.permissions).toEqual({ contents: "write", "id-token": "write" });
  });
});
