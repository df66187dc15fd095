import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project, smallProto } from "../cli/command.js";

/** A project with the output of a small proto, which another one can replace. */
async function generated(files: Readonly<Record<string, string>> = {}) {
  const project = new Project({
    "a.proto": smallProto,
    "b.proto": smallProto.replace("  repeated string tags = 2;\n", ""),
    "a2a-codegen.config.json": '{ "spec": "a.proto", "out": "src/a2a", "targets": ["models"] }\n',
    "src/own.ts": 'import type { Note } from "./a2a/models.js";\nexport type N = Note;\n',
    ...files,
  });
  expect((await project.run("generate")).stderr).toBe("");
  return project;
}

const upgrade = ["upgrade", "--to", "b.proto", "--force"];

describe("an upgrade of a project with links out of it", () => {
  it("upgrade changes no program file behind a link", async () => {
    const project = await generated({
      "a2a-codegen.config.json": '{ "spec": "0.3.0", "targets": ["models"] }',
    });
    const text = `import type { MessageSendParams } from "${project.folder}/src/a2a/models.js";\nexport type P = MessageSendParams;\n`;
    const outside = new Project({ "own.ts": text });
    symlinkSync(outside.path("own.ts"), project.path("src/linked.ts"));
    project.write({ "src/own.ts": text });
    await project.succeed("upgrade --to 1.0 --write --force");
    expect(project.read("src/own.ts")).toContain("SendMessageRequest");
    expect(outside.read("own.ts")).toBe(text);
  });

  it("upgrade refuses a configuration and an agent behind a link", async () => {
    const outside = new Project({
      "c.json": '{ "spec": "a.proto", "agent": "src/agent.ts" }',
      "agent.ts": "",
    });
    const project = await generated();
    symlinkSync(outside.path("agent.ts"), project.path("src/agent.ts"));
    project.write({ "a2a-codegen.config.json": outside.read("c.json") });
    expect((await project.run(upgrade, "--write")).stderr).toContain(
      `"agent" of the configuration is "${outside.path("agent.ts")}", outside the project`,
    );
    expect(outside.read("agent.ts")).toBe("");
  });
});
