import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const templates = {
  "templates/agent/agent.hbs": "echo attacked\n",
  "templates/tasks/agent.hbs": "echo attacked\n",
};

/** A project as it comes with a clone. */
function cloneWith(config: object) {
  return new Project({ ...templates, "a2a-codegen.config.json": JSON.stringify(config) });
}

const outside = new Project();
const foreign = [
  "../elsewhere/.bash_profile",
  join(outside.folder, ".bash_profile"),
  "src/../../x",
  ".git/info",
  "a/.GIT/x",
];

describe("a path of a configuration", () => {
  it.each(
    (["out", "templates", "agent"] as const).flatMap((key) =>
      foreign.map((path) => [key, path] as const),
    ),
  )("the path is refused if %s is %j, which leads out of the project", async (key, path) => {
    const project = cloneWith({ targets: ["server"], templates: "templates", [key]: path });
    const stderr = await project.refusal("generate");
    expect(stderr).toMatch(
      new RegExp(
        `^a2a-codegen\\.config\\.json:1:\\d+: "${key}" of the configuration is ".*", outside the project\\. `,
      ),
    );
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(outside.files()).toEqual({ "package.json": '{ "type": "module" }\n' });
  });

  it("the path is refused if a symbolic link of the clone leads out of the project", async () => {
    for (const key of ["out", "templates", "agent"]) {
      const project = new Project({
        "a2a-codegen.config.json": JSON.stringify({ targets: ["server"], [key]: "link/x.ts" }),
      });
      symlinkSync(outside.folder, project.path("link"));
      expect(await project.refusal("generate")).toContain(
        `"${key}" of the configuration is "${join(outside.folder, "x.ts")}"`,
      );
    }
    expect(outside.files()).toEqual({ "package.json": '{ "type": "module" }\n' });
  });

  it("the path is refused if it is the agent of one of several specifications", async () => {
    const project = cloneWith({
      spec: [{ spec: "1.0", agent: "../agent.ts" }, "0.3.0"],
      targets: ["server"],
    });
    expect((await project.run("generate")).stderr).toMatch(
      /"agent" of the configuration is .*, outside the project/,
    );
  });

  it.each([
    "generate",
    "generate --check",
    "generate --dry-run",
    "upgrade --to 1.0",
    "upgrade --to 1.0 --write --force",
  ])("the path is refused by %s", async (command) => {
    const project = new Project({ "a2a-codegen.config.json": '{ "out": "../out" }' });
    expect(await project.refusal(command.split(" "))).toContain('"out" of the configuration is');
  });

  it("the path may lead to any folder below the current folder", async () => {
    const project = new Project({ "a.proto": smallProto });
    project.write({
      "config/own.json": '{ "spec": "../a.proto", "out": "../src/a2a", "targets": ["models"] }',
    });
    expect((await project.run("generate --config config/own.json")).stderr).toBe("");
    expect(project.has("src/a2a/models.ts")).toBe(true);
  });

  it("the path is ignored if the command line specifies another path, which may lead anywhere", async () => {
    const project = new Project({ "a.proto": smallProto });
    project.write({
      "a2a-codegen.config.json": '{ "spec": "a.proto", "out": "../x", "targets": ["models"] }',
    });
    const target = new Project();
    expect((await project.run("generate --out", join(target.folder, "a2a"))).stderr).toBe("");
    expect(target.has("a2a/models.ts")).toBe(true);
  });

  it("the path is not written by init", async () => {
    const project = new Project();
    expect(await project.refusal("init --yes --out ../a2a")).toMatch(
      /^"out" of the configuration is ".*", outside the project\./,
    );
    expect(project.has("a2a-codegen.config.json")).toBe(false);
  });
});
