import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project } from "./command.js";

const config = { spec: "1.0", agent: "src/agent.ts", targets: ["server", "jsonrpc"] };
const hint =
  'src/agent.ts was deleted, and is not created again: remove "agent" from the configuration, or create it with --agent src/agent.ts';

/** Returns a project whose agent was generated and then deleted. */
async function projectWithout() {
  const project = new Project({ "a2a-codegen.config.json": JSON.stringify(config) });
  expect((await project.run("generate")).stdout).toContain("src/agent.ts created");
  rmSync(project.path("src/agent.ts"));
  return project;
}

describe("an agent skeleton that the user has deleted", () => {
  it("the skeleton stays deleted, and each run names the key to remove", async () => {
    const project = await projectWithout();
    for (const args of [[], ["--targets", "+rest"], ["--dry-run"], ["--force"]]) {
      const { code, stdout } = await project.run("generate", args);
      expect([code, project.has("src/agent.ts")]).toEqual([0, false]);
      expect(stdout).toContain(hint);
      expect(stdout).not.toContain("src/agent.ts created");
    }
    await project.succeed("generate --check");
    expect(JSON.parse((await project.run("generate --json")).stdout)).toMatchObject({
      deletedAgent: "src/agent.ts",
    });
  });

  it("the skeleton is created again if the command line names it, or at another path", async () => {
    const project = await projectWithout();
    expect((await project.run("generate --agent src/agent.ts")).stdout).toContain(
      "src/agent.ts created",
    );
    project.write({
      "a2a-codegen.config.json": JSON.stringify({ ...config, agent: "src/other.ts" }),
    });
    expect((await project.run("generate")).stdout).toContain("src/other.ts created");
  });

  it("a configuration without an agent gets no hint", async () => {
    const project = await projectWithout();
    project.write({ "a2a-codegen.config.json": JSON.stringify({ ...config, agent: undefined }) });
    expect((await project.run("generate")).stdout).not.toContain("agent.ts");
  });
});
