import { execFileSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, Project, smallProto } from "./command.js";

/** A user that permissions restrict: the current user, or `nobody` instead of root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const generate = [
  "generate",
  "--spec",
  "a.proto",
  "--out",
  "src/out",
  "--targets",
  "models,validators",
];
const remedy = "Change its permissions, or use another output folder with --out.\n";

function run(
  project: Project,
  ...args: string[]
): { readonly code: number; readonly text: string } {
  const options = {
    cwd: project.folder,
    encoding: "utf8",
    stdio: "pipe",
    env: { PATH: "" },
    ...user,
  } as const;
  try {
    return { code: 0, text: execFileSync(process.execPath, [cli, ...generate, ...args], options) };
  } catch (error) {
    const { status, stderr } = error as SpawnSyncReturns<string>;
    return { code: status ?? -1, text: stderr };
  }
}

/** A project with output, all of which belongs to the user, and with a change to generate. */
function generated() {
  const project = new Project({ "a.proto": smallProto, "src/file": "" });
  const own = () => {
    if (user.uid === undefined) return;
    const below = readdirSync(project.folder, { recursive: true, encoding: "utf8" });
    for (const path of ["", ...below]) chownSync(join(project.folder, path), user.uid, user.gid);
  };
  own();
  expect(run(project).code).toBe(0);
  project.write({ "a.proto": smallProto.replace("string id", "string key") });
  return project;
}

function lock(project: Project, path: string) {
  chmodSync(project.path(path), 0o555);
  onTestFinished(() => chmodSync(project.path(path), 0o755));
}

describe.skipIf(process.platform === "win32")("a read-only folder", () => {
  it.each([
    [
      "src",
      `the folder "src" is read-only, so the output folder "src/out" cannot be created in it. ${remedy}`,
    ],
    ["src/out", `the folder "src/out" is read-only, so the output cannot be replaced. ${remedy}`],
    [
      "src/out/runtime",
      `the folder "src/out/runtime" is read-only, so the output cannot be replaced. ${remedy}`,
    ],
  ])("the folder (%s) is named in the error, and nothing is changed", (path, message) => {
    const project = generated();
    lock(project, path);
    const before = project.files();
    expect(run(project)).toEqual({ code: 2, text: message });
    expect(project.files()).toEqual(before);
    expect(readdirSync(project.path("src")).sort()).toEqual(["file", "out"]);
  });

  it("the folder is accepted if nothing must be written", () => {
    const project = generated();
    run(project);
    lock(project, "src");
    lock(project, "src/out");
    expect(run(project, "--check")).toEqual({ code: 0, text: "a.proto → src/out: up to date\n" });
    expect(run(project).text).toContain("up to date");
  });
});
