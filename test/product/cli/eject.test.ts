import { describe, expect, it } from "vitest";
import { Project } from "./command.js";
import { linkPackages } from "../../support/linked.js";

const config = `// Generated code
{
  "spec": "1.0", // the version of the agent
  "runtime": "package",
  "out": "src/a2a",
  "targets": ["models", "errors", "server", "tasks"],
  "aliases": "none"
}
`;

/** Returns a project whose output imports the package. */
async function packaged() {
  const project = new Project({ "a2a-codegen.config.jsonc": config });
  linkPackages(project.folder);
  expect(await project.run("generate")).toMatchObject({ code: 0 });
  return project;
}

describe("eject", () => {
  it("eject moves a project to copies, and --back to the package without a difference", async () => {
    const project = await packaged();
    const before = project.files("src/a2a");
    expect(await project.run("eject")).toMatchObject({ code: 0 });
    expect(project.has("src/a2a/runtime/server/core.ts")).toBe(true);
    expect(project.read("a2a-codegen.config.jsonc")).toBe(config.replace('"package"', '"copy"'));
    await project.succeed("generate --check");
    expect(await project.run("eject --back")).toMatchObject({ code: 0 });
    expect(project.files("src/a2a")).toEqual(before);
    expect(project.read("a2a-codegen.config.jsonc")).toBe(config);
  });

  it("eject writes nothing if a file of the output was edited", async () => {
    const project = await packaged();
    project.write({ "src/a2a/errors.ts": "// Mine\n" });
    const before = project.files(".");
    expect(await project.refusal("eject")).toContain("errors.ts");
    expect(project.files(".")).toEqual(before);
    expect(await project.run("eject --force")).toMatchObject({ code: 0 });
    expect(project.read("src/a2a/errors.ts")).toContain("class TaskNotFoundError");
  });

  it.each([
    ["no configuration", {}, 'the project has no configuration in which to set "runtime"'],
    [
      "a module as configuration",
      { "a2a-codegen.config.mjs": "export default {};" },
      '"runtime" cannot be set in a module',
    ],
  ])(
    "eject prints a hint in a project with %s",
    async (_, files: Record<string, string>, message) => {
      const project = new Project(files);
      expect(await project.refusal("eject")).toContain(message);
      expect(project.has("src")).toBe(false);
    },
  );
});
