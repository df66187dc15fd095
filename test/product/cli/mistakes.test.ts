import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const generate = ["generate", "--spec", "a.proto", "--targets", "models"];

describe("generate in the root of a workspace", () => {
  const workspaces: readonly Readonly<Record<string, string>>[] = [
    { "package.json": '{ "workspaces": ["packages/*"] }' },
    { "pnpm-workspace.yaml": "packages: [packages/*]" },
  ];

  it.each(workspaces)(
    "generate requires a folder if it is not specified, with %j",
    async (files) => {
      const project = new Project({ "a.proto": smallProto, ...files });
      const before = project.files();
      expect(await project.run(generate)).toEqual({
        code: 2,
        stdout: "",
        stderr:
          'the working directory is the root of a workspace, and no option confirms its folder "src/a2a" for the output. Run the command in one of the packages, or confirm the folder with --out src/a2a.\n',
      });
      expect(project.files()).toEqual(before);
    },
  );

  it.each(workspaces)(
    "generate writes into a specified folder, and later runs do not require it, with %j",
    async (files) => {
      const project = new Project({ "a.proto": smallProto, ...files });
      await project.succeed(generate, "--out src/a2a");
      expect((await project.run(generate)).stdout).toContain("up to date");
    },
  );

  it("generate runs if a configuration exists", async () => {
    const project = new Project({
      "a.proto": smallProto,
      ...workspaces[0],
      "a2a-codegen.config.json": "{}",
    });
    await project.succeed(generate);
  });
});

describe("an agent whose name resembles a file that uses the output", () => {
  const uses = 'import type { Note } from "./a2a/models.js";\nexport type N = Note;\n';
  const run = async (files: Record<string, string>, ...args: string[]) => {
    const project = new Project({ "a.proto": smallProto, ...files });
    return { project, ...(await project.run(generate, "--agent src/agnet.ts", args)) };
  };

  it("the name is treated as a mistake, and nothing is written", async () => {
    const { project, code, stderr } = await run({ "src/agent.ts": uses });
    expect([code, stderr]).toEqual([
      2,
      'the agent "src/agnet.ts" does not exist, but "src/agent.ts" already uses the output. Did you mean src/agent.ts? For a second agent, use a name that differs more, or --force.\n',
    ]);
    expect(Object.keys(project.files("src"))).toEqual(["agent.ts"]);
  });

  it("the name is accepted with --force, or if the other file does not use the output", async () => {
    expect((await run({ "src/agent.ts": uses }, "--force")).code).toBe(0);
    expect((await run({ "src/agent.ts": "export {};\n" })).code).toBe(0);
  });
});
