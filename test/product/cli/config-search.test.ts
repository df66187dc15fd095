import { chownSync, mkdirSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runInProcess, type Run } from "./in-process.js";
import { Project, smallProto } from "./command.js";

const commands = [
  "generate --spec a.proto --out out --targets models",
  "generate --spec a.proto --out out --targets models --check",
  "generate --spec a.proto --out out --targets models --dry-run",
  "validate Note note.json",
  "upgrade --to a.proto",
];

/** A folder above a project, with a configuration that is a program and leaves a file behind. */
function shared(): { readonly above: Project; readonly run: (command: string) => Promise<Run> } {
  const above = new Project();
  rmSync(above.path("package.json"));
  const program = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(above.path("ran"))}, "");\n`;
  above.write({
    "a2a-codegen.config.mjs": `${program}export default { spec: "work/inner/a.proto" };\n`,
    "work/inner/a.proto": smallProto,
    "work/inner/note.json": "{}",
  });
  return { above, run: (command) => runInProcess(command.split(" "), above.path("work/inner")) };
}

beforeEach(() => void vi.stubEnv("HOME", "/nonexistent"));
afterEach(() => void vi.unstubAllEnvs());

describe.each(commands)("the search for a configuration, by %s", (command) => {
  it("the search continues in parent folders", async () => {
    const { above, run } = shared();
    await run(command);
    expect(above.has("ran")).toBe(true);
  });

  it.each(["work", "work/inner"])(
    "the search ends at the root of a repository (%s)",
    async (root) => {
      const { above, run } = shared();
      mkdirSync(above.path(`${root}/.git`));
      await run(command);
      expect(above.has("ran")).toBe(false);
    },
  );

  it("the search ends at a file .git, which worktrees and submodules have", async () => {
    const { above, run } = shared();
    above.write({ "work/.git": "gitdir: /elsewhere\n" });
    await run(command);
    expect(above.has("ran")).toBe(false);
  });

  it("the search ends at the home folder", async () => {
    const { above, run } = shared();
    vi.stubEnv("HOME", above.path("work"));
    await run(command);
    expect(above.has("ran")).toBe(false);
  });
});

describe("a configuration of another user", () => {
  const canGiveAway = process.getuid?.() === 0;
  if (!canGiveAway)
    console.log("Only root can give files to another user, so files of other users are not tried.");

  it.runIf(canGiveAway).each(commands)(
    "the configuration is not executed if it is in a parent folder, by %s",
    async (command) => {
      const { above, run } = shared();
      chownSync(above.path("a2a-codegen.config.mjs"), 12_345, 12_345);
      await run(command);
      expect(above.has("ran")).toBe(false);
    },
  );

  it.runIf(canGiveAway)(
    "the configuration is refused in the current folder unless it is named",
    async () => {
      const project = new Project({ "a.proto": smallProto });
      project.write({ "a2a-codegen.config.json": '{ "spec": "a.proto", "targets": ["models"] }' });
      chownSync(project.path("a2a-codegen.config.json"), 12_345, 12_345);
      expect(await project.run("generate")).toMatchObject({
        code: 2,
        stderr:
          "a2a-codegen.config.json: the configuration belongs to another user. Confirm it with --config, or remove it.\n",
      });
      await project.succeed("generate --config a2a-codegen.config.json");
    },
  );

  it.runIf(canGiveAway)(
    "the configuration is read if the folder belongs to the same user, as in a container",
    async () => {
      const project = new Project({ "a.proto": smallProto });
      project.write({ "a2a-codegen.config.json": '{ "spec": "a.proto", "targets": ["models"] }' });
      for (const path of [".", "a2a-codegen.config.json"])
        chownSync(project.path(path), 12_345, 12_345);
      await project.succeed("generate");
    },
  );
});
