import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const generate = [
  "generate",
  "--spec",
  "a.proto",
  "--out",
  "out",
  "--templates",
  "mine",
  "--agent",
  "agent.ts",
];
const files = { "a.proto": smallProto, "mine/index.hbs": "{{header}}\n// mine\n" };

/** Imitates a checkout of a project by Git for Windows. */
function checkedOut(project: Project) {
  for (const path of Object.keys(project.files())) {
    const text = project.read(path);
    writeFileSync(project.path(path), text.replaceAll("\n", "\r\n"));
  }
  return project.files();
}

async function generated() {
  const project = new Project(files);
  await project.succeed(generate);
  return project;
}

describe("a checkout with the line ends of Windows", () => {
  it("the checkout is up to date, including its proto and its templates", async () => {
    const project = await generated();
    const before = checkedOut(project);
    expect(project.read("out/models.ts")).toContain("\r\n");
    expect((await project.run(generate, "--check")).stdout).toBe("a.proto → out: up to date\n");
    expect((await project.run(generate)).stdout).toMatch(/^a\.proto → out: up to date \(/);
    expect(project.files()).toEqual(before);
  });

  it("only files with other content are written again", async () => {
    const project = await generated();
    checkedOut(project);
    const time = statSync(project.path("out/runtime/base/json.ts"), { bigint: true }).mtimeNs;
    project.write({
      "a.proto": smallProto.replace("string id", "string key").replaceAll("\n", "\r\n"),
    });
    const { code, output } = await project.json(generate);
    expect(code).toBe(0);
    expect(output["written"]).toContain("models.ts");
    expect(output["unchanged"]).toContain("runtime/base/json.ts");
    expect(project.read("out/models.ts")).toContain("key?: string");
    expect(readFileSync(project.path("out/runtime/base/json.ts"), "utf8")).toContain("\r\n");
    expect(statSync(project.path("out/runtime/base/json.ts"), { bigint: true }).mtimeNs).toBe(time);
  });

  it("edits are still found and kept", async () => {
    const project = await generated();
    checkedOut(project);
    project.write({ "out/models.ts": `${project.read("out/models.ts")}// mine\r\n` });
    expect((await project.run(generate, "--check")).stdout).toContain(
      "1 file not up to date\n  edited   models.ts",
    );
    expect((await project.run(generate, "--targets validators")).stderr).toContain(
      "out/models.ts: the file was edited by hand",
    );
  });
});
