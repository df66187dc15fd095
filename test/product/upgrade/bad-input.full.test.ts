import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { Project, smallProto, type Run } from "../cli/command.js";

const smaller = smallProto.replace("  repeated string tags = 2;\n", "");
const source =
  'import type { Note } from "./a2a/models.js";\n\nexport const tags = ({ tags }: Note) => tags;\n';
const config = { spec: "a.proto", out: "src/a2a", targets: ["models", "validators"] };

/** A project with the output of a small proto and a file that uses it, committed. */
async function small(changes: Readonly<Record<string, string>> = {}) {
  const project = new Project({
    "a.proto": smallProto,
    "b.proto": smaller,
    "a2a-codegen.config.json": `${JSON.stringify(config, null, 2)}\n`,
    "src/own.ts": source,
    ".gitignore": "node_modules\n",
    ...changes,
  });
  // The compiler reads all packages of types, so the project has only the necessary one.
  mkdirSync(project.path("node_modules/@types"), { recursive: true });
  symlinkSync(
    join(packageFolder, "node_modules/@types/node"),
    project.path("node_modules/@types/node"),
  );
  expect((await project.run("generate")).stderr).toBe("");
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: project.folder,
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "All");
  return project;
}

/** The files of a project without what is linked and what git keeps. */
function filesOf(project: Project): object {
  const own = ["a.proto", "a2a-codegen.config.json", "package.json"].map((path) =>
    project.read(path),
  );
  return { own, ...project.files("src") };
}

/** Runs an upgrade that must fail and returns its messages. */
async function refusal(project: Project, ...args: readonly string[]) {
  const before = filesOf(project);
  const { code, stdout, stderr }: Run = await project.run("upgrade", args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toMatch(/\n\s+at |internal error/);
  expect(filesOf(project)).toEqual(before);
  return stderr;
}

describe("upgrade of a small project", () => {
  it("upgrade executes no program that the configuration of the repository names", async () => {
    const project = await small({ ".gitignore": "node_modules\nran\nspy.sh\n" });
    project.write({ "spy.sh": `#!/bin/sh\necho ran > ${project.path("ran")}\n` });
    chmodSync(project.path("spy.sh"), 0o755);
    execFileSync("git", ["config", "core.fsmonitor", project.path("spy.sh")], {
      cwd: project.folder,
    });
    await project.succeed("upgrade --to b.proto --write");
    expect(project.has("ran")).toBe(false);
  });

  it("upgrade generates, changes the configuration and lists the compile errors", async () => {
    const project = await small();
    const { code, stdout } = await project.run("upgrade --to b.proto --write");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a\.proto → b\.proto: 2 changes/);
    expect(stdout).toContain(
      "src/own.ts:3:24 TS2339: Property 'tags' does not exist on type 'Note'.\n      removed Note.tags",
    );
    expect(project.read("a2a-codegen.config.json")).toBe(
      `${JSON.stringify({ ...config, spec: "b.proto" }, null, 2)}\n`,
    );
    await project.succeed("generate --check");
  });

  it("upgrade prints the remaining work first, and the differences of the specifications only with --diff", async () => {
    const project = await small();
    const [brief, full] = [
      (await project.run("upgrade --to b.proto")).stdout,
      (await project.run("upgrade --to b.proto --diff")).stdout,
    ];
    const [heading, , toDo] = brief.split("\n");
    expect(heading).toMatch(/^a\.proto → b\.proto: 2 changes.*; list them with --diff$/);
    expect(toDo).toBe("1 compile error to fix by hand");
    expect(brief).not.toMatch(/^ *! removed/m);
    expect(full).toMatch(/^ *! removed/m);
    expect(full.indexOf("to fix by hand")).toBeLessThan(full.search(/^ *! removed/m));
  });

  it("upgrade says that nothing must be written if the project is up to date", async () => {
    const project = await small();
    const last = async (to: string) =>
      (await project.run("upgrade --to", to)).stdout.trimEnd().split("\n").at(-1);
    expect(await last("a.proto")).toBe("Nothing to write");
    expect(await last("b.proto")).toBe("Nothing was written; add --write to change the project");
    project.write({ "a2a-codegen.config.json": JSON.stringify({ ...config, spec: "./a.proto" }) });
    expect(await last("a.proto")).toBe("Nothing was written; add --write to change the project");
  });

  it("upgrade lists previous compile errors separately from new compile errors", async () => {
    const project = await small({ "src/own.ts": `${source}export const n: number = "text";\n` });
    const { stdout } = await project.run("upgrade --to b.proto");
    expect(stdout).toMatch(/1 compile error to fix by hand\n {2}src\/own\.ts:3:24 TS2339/);
    expect(stdout).toMatch(
      /1 compile error that the project already had\n {2}src\/own\.ts:4:14 TS2322/,
    );
  });

  it("upgrade points out tests that compile but are now never true", async () => {
    const project = await small({
      "a2a-codegen.config.json": JSON.stringify({
        ...config,
        spec: "0.3.0",
        targets: ["client", "validators"],
      }),
      "src/own.ts": `import { isMessage, isTask, type A2AClient, type Part, type StreamResponse, type Task } from "./a2a/index.js";

export async function answer(client: A2AClient): Promise<string> {
  const ask = () => client.sendMessage({ message: { kind: "message", messageId: "1", role: "user", parts: [] } });
  if (isTask(await ask()) || isMessage(await ask())) return "known";
  return "status" in (await ask()) ? "a task" : "nothing";
}
export const isLast = (event: StreamResponse): boolean => "final" in event && event.final;
export const isText = (part: Part): boolean => "kind" in part && part.kind === "text";
export const isEnded = (task: Task): boolean => "status" in task && isTask(task);
export const isAny = (value: unknown): boolean => isTask(value) && "id" in value;
`,
    });
    const { stdout } = await project.run("upgrade --to 1.0");
    const [, places = ""] = stdout.split("to check by hand, which the compiler accepts\n");
    const [listed = ""] = places.split("\n\n");
    expect(listed.split("\n").filter((line) => line.startsWith("  src/"))).toEqual([
      "  src/own.ts:5:7 isTask(…) can no longer be true here",
      "  src/own.ts:5:30 isMessage(…) can no longer be true here",
      '  src/own.ts:6:10 "status" is no longer a key here',
      '  src/own.ts:8:59 "final" is no longer a key here',
      '  src/own.ts:9:48 "kind" is no longer a key here',
      '  src/own.ts:11:51 isTask(…) of a value of any type: it may now be in the member "task" of SendMessageResponse, or in the member "task" of StreamResponse',
    ]);
    expect(places).toContain("      SendMessageResponse has one of task, message");
  });

  it("upgrade includes the files of projects that a tsconfig.json references", async () => {
    const app = { compilerOptions: { strict: true, module: "nodenext" }, include: ["src"] };
    const project = await small({
      "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      "tsconfig.app.json": JSON.stringify(app),
    });
    expect((await project.run("upgrade --to b.proto")).stdout).toContain("src/own.ts:3:24 TS2339");
  });

  it("upgrade includes files that import the output even if no tsconfig.json names them", async () => {
    const project = await small({
      "tsconfig.json":
        '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }',
      "test/own.ts": source.replace("./a2a", "../src/a2a"),
      "test/other.ts": "export const n: number = '';\n",
    });
    const { stdout } = await project.run("upgrade --to b.proto");
    expect(stdout).toContain("test/own.ts:3:24 TS2339");
    expect(stdout).not.toContain("other.ts");
  });

  it("upgrade works next to the remains of a killed run", async () => {
    const project = await small();
    cpSync(project.path("src/a2a"), project.path("src/.a2a.a2a-codegen-new.99999999"), {
      recursive: true,
    });
    const { code, stderr } = await project.run("upgrade --to b.proto --write");
    expect([code, stderr]).toEqual([0, ""]);
    expect(readdirSync(project.path("src")).sort()).toEqual(["a2a", "own.ts"]);
  });

  it("upgrade works without a configuration and without a tsconfig.json, from the lock file", async () => {
    const project = new Project({
      "src/own.ts": 'import { Role } from "./a2a/models.js";\nexport const r: Role = "user";\n',
    });
    expect((await project.run("generate --spec 0.3.0 --targets models")).code).toBe(0);
    const { stdout } = await project.run("upgrade --to 1.0 --write --force");
    expect(stdout).toMatch(/^A2A 0\.3\.0 → A2A 1\.0\.1: /);
    expect(project.read("src/own.ts")).toMatch(/"ROLE_USER";\n$/);
  });
});

describe("an upgrade that fails", () => {
  it("upgrade refuses a project without output", async () => {
    const said = await refusal(
      new Project({ "src/x.ts": "", "a.proto": smallProto, "a2a-codegen.config.json": "{}" }),
      "--to",
      "1.0",
    );
    expect(said).toBe(
      "src/a2a: the folder contains no generated output. Run `a2a-codegen generate`, or specify the configuration with --config.\n",
    );
  });

  it("upgrade refuses a lock file that is broken or has a newer format", async () => {
    const project = await small();
    for (const text of ["{", '{"lockVersion":2}']) {
      project.write({ "src/a2a/a2a-codegen.lock.json": text });
      expect(await refusal(project, "--to", "b.proto", "--write", "--force")).toMatch(
        /^src\/a2a\/a2a-codegen\.lock\.json: the lock file /,
      );
    }
  });

  it("upgrade refuses to overwrite generated files that were edited", async () => {
    const project = await small();
    project.write({ "src/a2a/models.ts": `${project.read("src/a2a/models.ts")}// Mine.\n` });
    expect(await refusal(project, "--to", "b.proto")).toMatch(
      /^src\/a2a\/models\.ts: the file was edited by hand\./,
    );
  });

  it("upgrade refuses to overwrite uncommitted changes without --force", async () => {
    const project = await small({
      "src/names.ts": 'import type { Note } from "./a2a/models.js";\nexport type N = Note;\n',
    });
    project.write({ "a2a-codegen.config.json": JSON.stringify(config) });
    expect(await refusal(project, "--to", "b.proto", "--write")).toBe(
      "the repository has uncommitted changes: a2a-codegen.config.json. Commit or stash your changes, or use --force.\n",
    );
    await project.succeed("upgrade --to b.proto --write --force");
  });

  it("upgrade refuses to write without version control", async () => {
    const project = new Project({
      "a.proto": smallProto,
      "b.proto": smaller,
      "a2a-codegen.config.json": JSON.stringify(config),
    });
    await project.succeed("generate");
    expect(await refusal(project, "--to", "b.proto", "--write")).toBe(
      "the project is not under version control with git, so the upgrade could not be undone. Commit it, or use --force.\n",
    );
  });

  it("upgrade refuses to overwrite files that git ignores, unless they are generated", async () => {
    const project = await small({
      ".gitignore": "node_modules\na2a-codegen.config.json\nsrc/a2a\n",
    });
    expect(await refusal(project, "--to", "b.proto", "--write")).toBe(
      "a2a-codegen.config.json: git ignores the file, so the upgrade could not be undone. Save it elsewhere, and use --force.\n",
    );
  });

  it("upgrade refuses to change read-only files", async () => {
    const project = await small();
    chmodSync(project.path("a2a-codegen.config.json"), 0o444);
    expect(await refusal(project, "--to", "b.proto", "--write")).toBe(
      "a2a-codegen.config.json: the file is read-only, and it must be changed. Change its permissions; nothing was written.\n",
    );
  });

  it("upgrade says how to restore the project if it cannot write a file", async () => {
    const project = await small();
    mkdirSync(project.path(".a2a-codegen.config.json.a2a-codegen-new"));
    const { code, stdout, stderr } = await project.run("upgrade --to b.proto --write");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^a2a-codegen\.config\.json: the file cannot be written, and the upgrade stopped halfway: .*\. Restore the project from version control, and run the upgrade again\.\n$/,
    );
  });

  it("upgrade refuses a tsconfig.json that is missing or broken", async () => {
    const project = await small();
    expect(await refusal(project, "--to", "b.proto", "--tsconfig", "none.json")).toBe(
      'the file "none.json" does not exist. Correct the path in --tsconfig.\n',
    );
    project.write({ "tsconfig.json": "{ not json" });
    expect(await refusal(project, "--to", "b.proto")).toMatch(/^tsconfig\.json:/);
  });
});
