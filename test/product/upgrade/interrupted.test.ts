import { symlinkSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { interrupt } from "../../unit/output/interrupting.js";
import { Project, smallProto } from "../cli/command.js";

/** A project with the output of a small proto, which another one can replace. */
async function generated(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = new Project({
    "a.proto": smallProto,
    "b.proto": smallProto.replace("  repeated string tags = 2;\n", ""),
    "a2a-codegen.config.json": '{ "spec": "a.proto", "out": "src/a2a", "targets": ["models"] }\n',
    "src/own.ts": 'import type { Note } from "./a2a/models.js";\nexport type N = Note;\n',
    ...files,
  });
  expect((await project.run(["generate"])).stderr).toBe("");
  return project;
}

const upgrade = ["upgrade", "--to", "b.proto", "--force"];

describe("an upgrade after an interrupted upgrade", () => {
  it("upgrade without --write only lists what --write restores", async () => {
    const project = await generated();
    interrupt(project.folder, ["src/own.ts", "src/new.ts"], [["src/own.ts", "changed"]]);
    const before = project.files();
    const { code, stdout, stderr } = await project.run(upgrade);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      ".a2a-codegen-upgrade: an earlier upgrade was interrupted, and has changed src/own.ts, src/new.ts. With --write, these files are first restored to their state before that upgrade; to keep their current state, remove the folder.\n",
    );
    expect(project.files()).toEqual(before);
  });

  it("upgrade --write restores the files first and names them", async () => {
    const project = await generated();
    const own = project.read("src/own.ts");
    interrupt(project.folder, ["src/own.ts"], [["src/own.ts", "changed"]]);
    const { code, stdout } = await project.run([...upgrade, "--write"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^An earlier upgrade was interrupted; restored first: src\/own\.ts\n/);
    expect(project.read("src/own.ts")).toBe(own);
    expect(project.has(".a2a-codegen-upgrade")).toBe(false);
  });

  it.each([[[]], [["--write"]]])(
    "upgrade writes and deletes nothing for a journal of the repository, with %j",
    async (args) => {
      const outside = new Project({ important: "kept", ".bashrc": "kept" });
      const path = (name: string): string => `../${basename(outside.folder)}/${name}`;
      const paths = [
        { path: path("important"), existed: false },
        { path: path(".bashrc"), existed: true },
      ];
      const project = await generated({
        ".a2a-codegen-upgrade/journal.json": JSON.stringify({ process: 0, seal: "1", paths }),
        ".a2a-codegen-upgrade/seal": "",
        ".a2a-codegen-upgrade/1": "overwritten",
      });
      const before = project.files();
      const { code, stderr } = await project.run([...upgrade, ...args]);
      expect([code, stderr]).toEqual([
        2,
        ".a2a-codegen-upgrade/journal.json: the journal belongs to an upgrade in another folder. Restore the files from version control if needed, and remove the folder .a2a-codegen-upgrade.\n",
      ]);
      expect(project.files()).toEqual(before);
      expect(outside.files()).toMatchObject({ important: "kept", ".bashrc": "kept" });
    },
  );
});

describe("an upgrade of a project with links out of it", () => {
  it("upgrade changes no program file behind a link", async () => {
    const project = await generated({ "a2a-codegen.config.json": '{ "spec": "0.3.0", "targets": ["models"] }' });
    const text = `import type { MessageSendParams } from "${project.folder}/src/a2a/models.js";\nexport type P = MessageSendParams;\n`;
    const outside = new Project({ "own.ts": text });
    symlinkSync(outside.path("own.ts"), project.path("src/linked.ts"));
    project.write({ "src/own.ts": text });
    const { code } = await project.run(["upgrade", "--to", "1.0", "--write", "--force"]);
    expect(code).toBe(0);
    expect(project.read("src/own.ts")).toContain("SendMessageRequest");
    expect(outside.read("own.ts")).toBe(text);
  });

  it("upgrade refuses a configuration and an agent behind a link", async () => {
    const outside = new Project({ "c.json": '{ "spec": "a.proto", "agent": "src/agent.ts" }', "agent.ts": "" });
    const project = await generated();
    symlinkSync(outside.path("agent.ts"), project.path("src/agent.ts"));
    project.write({ "a2a-codegen.config.json": outside.read("c.json") });
    expect((await project.run([...upgrade, "--write"])).stderr).toContain(
      `"agent" of the configuration is "${outside.path("agent.ts")}", outside the project`,
    );
    expect(outside.read("agent.ts")).toBe("");
  });
});
