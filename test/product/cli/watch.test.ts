import { rename, rm, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { ended, Project, smallProto } from "./command.js";

/** Waits until something holds. */
async function until(holds: () => boolean) {
  await vi.waitFor(() => expect(holds()).toBe(true));
}

function watching(files: Record<string, string>, ...args: string[]) {
  const project = new Project(files);
  const child = project.start(["generate", "--out", "out", "--watch", ...args]);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { project, child, run: ended(child), output: () => output };
}

const models = (project: Project) =>
  project.has("out/models.ts") ? project.read("out/models.ts") : "";

describe("generate --watch", () => {
  it("generate --watch generates at each change, survives mistakes and ends cleanly", async () => {
    const { project, child, run, output } = watching(
      { "a.proto": smallProto },
      "--spec",
      "a.proto",
    );
    await until(() => output().includes("Watching 1 file;"));

    await writeFile(project.path("a.proto"), smallProto.replace("string id", "string key"));
    await until(() => models(project).includes("key?: string"));

    await writeFile(project.path("a.proto"), smallProto.replace("string id = 1;", "string id = 1"));
    await until(() => output().includes('a.proto:6:16: ";" is missing before "repeated". Add it.'));
    expect(models(project)).toContain("key?: string");

    await writeFile(project.path("fresh"), smallProto.replace("string id", "string other"));
    await rename(project.path("fresh"), project.path("a.proto"));
    await until(() => models(project).includes("other?: string"));

    child.kill("SIGTERM");
    expect((await run).code).toBe(0);
  });

  it("generate --watch follows imports, including new imports, and templates", async () => {
    const [head, b] = ['syntax = "proto3";\npackage p;\n', "message B { string old = 1; }\n"];
    const files = {
      "a.proto": `${head}message A {}\n`,
      "sub/b.proto": head + b,
      "mine/index.hbs": "{{header}}\n",
    };
    const { project, child, run, output } = watching(
      files,
      "--spec",
      "a.proto",
      "--templates",
      "mine",
    );
    await until(() => output().includes("Watching 3 files;"));

    await writeFile(
      project.path("a.proto"),
      `${head}import "sub/b.proto";\nmessage A { B b = 1; }\n`,
    );
    await until(() => models(project).includes("old?: string"));
    await writeFile(project.path("sub/b.proto"), head + b.replace("old", "fresh"));
    await until(() => models(project).includes("fresh?: string"));
    await writeFile(project.path("mine/index.hbs"), "{{header}}\n// mine\n");
    await until(() => project.read("out/index.ts").includes("// mine"));

    child.kill("SIGINT");
    expect((await run).code).toBe(0);
  });

  it("generate --watch follows the configuration for a bundled version", async () => {
    const config = (ending: string) =>
      JSON.stringify({ targets: ["models"], importExtension: ending });
    const { project, child, run, output } = watching({ "a2a-codegen.config.json": config("js") });
    await until(() => output().includes("Watching 1 file;"));
    await writeFile(project.path("a2a-codegen.config.json"), config("ts"));
    await until(() => project.read("out/index.ts").includes('"./models.ts"'));
    child.kill("SIGTERM");
    expect((await run).code).toBe(0);
  });

  it("generate --watch reports a missing configuration, writes nothing, and recovers", async () => {
    const name = "a2a-codegen.config.json";
    const config = (ending: string) =>
      JSON.stringify({ targets: ["models"], importExtension: ending });
    const { project, child, run, output } = watching({ [name]: config("js") });
    await until(() => output().includes("Watching 1 file;"));
    const before = project.files("out");
    await rm(project.path(name));
    await until(() => output().includes(`the configuration "${name}" does not exist anymore.`));
    expect(project.files("out")).toEqual(before);
    await writeFile(project.path(name), config("ts"));
    await until(() => project.read("out/index.ts").includes('"./models.ts"'));
    child.kill("SIGTERM");
    expect((await run).code).toBe(0);
  });

  it("generate --watch ends with a message if it has nothing to watch", async () => {
    const { code, stdout } = await watching({}, "--targets", "models").run;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\nNothing to watch: the specification is bundled, and the project has no configuration\n$/,
    );
  });

  it("generate --watch follows the protos in a folder, including new protos", async () => {
    const proto = (name: string) =>
      `syntax = "proto3"; package ${name}; message A { string b = 1; }`;
    const files = { "protos/a.proto": proto("a"), "protos/sub/b.proto": proto("b") };
    const { project, child, run, output } = watching(files, "--spec", "protos");
    await until(() => output().includes("Watching 4 files;"));
    project.write({ "protos/sub/c.proto": proto("c") });
    await until(() => project.has("out/c/models.ts"));
    await rm(project.path("protos/a.proto"));
    await until(() => !project.has("out/a/models.ts"));
    child.kill("SIGTERM");
    expect((await run).code).toBe(0);
  });
});
