import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { Project } from "./command.js";

const patient = { timeout: 240_000 };
const targets = ["--targets", "models,validators,errors"];
const runtime = ["--runtime", "src/runtime"];
const newer = ["generate", "--spec", "1.0", "--out", "src/new", ...runtime, ...targets];
const older = ["generate", "--spec", "0.3.0", "--out", "src/old", ...runtime, ...targets];

/** A project with the output of two versions, which share their runtime modules. */
async function shared(): Promise<Project> {
  const project = new Project();
  for (const command of [newer, older]) expect(await project.run(command)).toMatchObject({ code: 0, stderr: "" });
  return project;
}

describe("generate --runtime", () => {
  it("two versions in one program share their error classes", patient, async () => {
    const project = await shared();
    expect([project.has("src/new/runtime"), project.has("src/old/runtime")]).toEqual([false, false]);
    project.write({
      "src/main.ts": `
        import { A2AError, TaskNotFoundError } from "./new/index.js";
        import { A2AError as OlderError, TaskNotFoundError as OlderNotFound } from "./old/index.js";
        const [one, other] = [new TaskNotFoundError(), new OlderNotFound()];
        console.log(one instanceof OlderError, other instanceof A2AError, one instanceof OlderNotFound);`,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          strict: true,
          target: "es2022",
          module: "nodenext",
          types: ["node"],
          rootDir: "src",
          outDir: "dist",
        },
        include: ["src"],
      }),
    });
    symlinkSync(join(packageFolder, "node_modules"), project.path("node_modules"));
    const tsc = join(packageFolder, "node_modules", "typescript-7", "bin", "tsc");
    execFileSync(process.execPath, [tsc], { cwd: project.folder, stdio: "inherit" });
    const printed = execFileSync(process.execPath, ["dist/main.js"], { cwd: project.folder, encoding: "utf8" });
    expect(printed).toBe("true true false\n");
  });

  it(
    "generate adds modules for an output, and keeps modules of another output until that is deleted",
    patient,
    async () => {
      const project = await shared();
      const before = project.files("src");
      expect((await project.run([...newer, "--force"])).code).toBe(0);
      expect(project.files("src")).toEqual(before);
      const needed = Object.keys(before).filter((path) => path.startsWith("runtime/"));
      const fewer = [...older.slice(0, -1), "models"];
      expect((await project.run(fewer)).code).toBe(0);
      expect((await project.run([...newer, "--check"])).stdout).toContain("src/new: up to date\n");
      rmSync(project.path("src/new"), { recursive: true });
      expect((await project.run(older)).code).toBe(0);
      const left = Object.keys(project.files("src/runtime"));
      expect(left.length).toBeLessThanOrEqual(needed.length);
      expect(project.read("src/runtime/a2a-codegen.lock.json")).not.toContain('"../new"');
    },
  );

  it("generate changes nothing on the second run, and --check names missing and edited files", patient, async () => {
    const project = await shared();
    for (const command of [newer, older]) {
      expect((await project.run(command)).stdout).toContain(": up to date (");
      expect((await project.run([...command, "--check"])).stdout).toContain(": up to date\n");
    }
    rmSync(project.path("src/runtime/base/json.ts"));
    const missing = await project.run([...newer, "--check"]);
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining("missing  ../runtime/base/json.ts")]);
    expect((await project.run(newer)).code).toBe(0);
    expect((await project.run([...older, "--check"])).code).toBe(0);
    appendFileSync(project.path("src/runtime/base/json.ts"), "// edited\n");
    expect((await project.run([...newer, "--check"])).stdout).toContain("edited   ../runtime/base/json.ts");
    const refused = await project.run(newer);
    expect(refused.stderr).toContain("src/runtime/base/json.ts: the file was edited by hand.");
    expect((await project.run([...newer, "--force"])).code).toBe(0);
  });

  it("generate writes several versions of a configuration at once", patient, async () => {
    const config = { spec: ["1.0", "0.3.0"], out: "src/a2a", runtime: "src/runtime", targets: ["models", "errors"] };
    const project = new Project({ "a2a-codegen.config.json": JSON.stringify(config) });
    expect(await project.run(["generate"])).toMatchObject({ code: 0, stderr: "" });
    expect(project.read("src/a2a/0.3.0/errors.ts")).toMatch(/ from "\.\.\/\.\.\/runtime\/protocol\/error\.js";/);
    expect((await project.run(["generate", "--check"])).code).toBe(0);
    const users = project.read("src/runtime/a2a-codegen.lock.json");
    expect(users).toContain('"../a2a/0.3.0": [');
    expect(users).toContain('"../a2a/1.0": [');
  });

  it.each([
    [
      "is inside of the output",
      ["--out", "src", "--runtime", "src/runtime"],
      "and the output folder contains the other",
    ],
    ["is the folder of an output", ["--out", "src/other", "--runtime", "src/new"], "is the folder of an output"],
    [
      "has imports with another ending",
      ["--out", "src/other", ...runtime, "--import-extension", "ts"],
      'imports end in "ts" here, and in "js" in other outputs',
    ],
  ])("generate refuses a runtime folder that %s", patient, async (_, options, problem) => {
    const project = new Project();
    await project.run(newer);
    const before = project.files();
    const { code, stderr } = await project.run(["generate", "--targets", "models,errors", ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(project.files()).toEqual(before);
  });
});
