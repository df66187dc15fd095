import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { Project } from "./command.js";

const patient = { timeout: 240_000 };
const settings = {
  strict: true,
  target: "es2022",
  module: "nodenext",
  types: ["node"],
  rootDir: "src",
  outDir: "dist",
};

/** A project that has the package, and what its output imports besides. */
function projectWith(files: Readonly<Record<string, string>>): Project {
  const project = new Project({
    "package.json": '{ "name": "mine", "type": "module" }',
    "tsconfig.json": JSON.stringify({ compilerOptions: { ...settings, skipLibCheck: true }, include: ["src"] }),
    ...files,
  });
  const modules = project.path("node_modules");
  mkdirSync(modules);
  symlinkSync(packageFolder, join(modules, "a2a-codegen"));
  for (const name of ["@grpc", "@types"]) symlinkSync(join(packageFolder, "node_modules", name), join(modules, name));
  return project;
}

function compileAndRun(project: Project): string {
  const tsc = join(packageFolder, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc], { cwd: project.folder, stdio: "inherit" });
  return execFileSync(process.execPath, ["dist/main.js"], { cwd: project.folder, encoding: "utf8" });
}

const main = `
  import { createServer } from "node:http";
  import { connect, createAgent, TaskNotFoundError } from "./a2a/index.js";
  import { completed, taskService, textOf } from "./a2a/kit/index.js";
  import { nodeListener } from "./a2a/server/node.js";
  const service = taskService({ async *run({ message }) { return completed(textOf(message)); } });
  const server = createServer((...call) => nodeListener(agent)(...call)).listen(0, "127.0.0.1", async () => {
    const url = \`http://127.0.0.1:\${server.address().port}\`;
    card.supportedInterfaces[0].url = url;
    const client = await connect(url);
    const { task } = await client.sendMessage({ message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hi" }] } });
    const refused = await client.getTask({ id: "none" }).catch((error) => error);
    console.log(textOf(task.status.message), refused instanceof TaskNotFoundError);
    client.close();
    server.close();
    await service.close();
  });
  const card = {
    name: "A", description: "B", version: "1", capabilities: {}, skills: [],
    defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
    supportedInterfaces: [{ url: "", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  };
  const agent = createAgent({ card, service });
`;

describe("an output that imports the package", () => {
  it("compiles, runs, and shares its error classes with other outputs", patient, async () => {
    const project = projectWith({ "src/main.ts": `// @ts-nocheck\n${main}` });
    expect(await project.run(["generate", "--runtime", "package"])).toMatchObject({ code: 0 });
    expect(await project.run(["generate", "--runtime", "package", "--out", "src/other"])).toMatchObject({ code: 0 });
    expect(project.has("src/a2a/runtime")).toBe(false);
    project.write({
      "src/same.ts": `
        import { TaskNotFoundError } from "./a2a/index.js";
        import { TaskNotFoundError as Other } from "./other/index.js";
        const same: boolean = TaskNotFoundError === Other;
        if (!same) throw new Error("Each output has its own errors");`,
    });
    expect(compileAndRun(project)).toBe("Hi true\n");
    execFileSync(process.execPath, ["dist/same.js"], { cwd: project.folder });
  });

  it("has few files and lines with client, server, three transports and tasks", async () => {
    const project = projectWith({});
    expect(await project.run(["generate", "--runtime", "package", "--aliases", "none"])).toMatchObject({ code: 0 });
    const files = readdirSync(project.path("src/a2a"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    );
    const lines = files.reduce(
      (sum, path) => sum + readFileSync(project.path(`src/a2a/${path}`), "utf8").split("\n").length - 1,
      0,
    );
    expect([files.length <= 46, lines <= 8_500]).toEqual([true, true]);
  });

  it("becomes copies and an output of the package again without another difference", async () => {
    const project = projectWith({});
    const generate = async (runtime: string): Promise<Readonly<Record<string, string>>> => {
      expect(await project.run(["generate", "--runtime", runtime])).toMatchObject({ code: 0 });
      return project.files("src/a2a");
    };
    const copied = await generate("copy");
    const packaged = await generate("package");
    expect(await generate("copy")).toEqual(copied);
    const changed = Object.keys(packaged).filter(
      (path) => path.endsWith(".ts") && withoutImports(packaged[path]) !== withoutImports(copied[path]),
    );
    expect(changed.filter((path) => path !== "errors.ts" && !path.startsWith("kit/"))).toEqual([]);
  });

  it("has a kit of its own if the specification differs from the one that the kit is compiled with", async () => {
    const project = projectWith({});
    expect(await project.run(["generate", "--spec", "1.1-draft", "--runtime", "package"])).toMatchObject({ code: 0 });
    expect([project.has("src/a2a/runtime"), project.has("src/a2a/kit/engine/engine.ts")]).toEqual([false, true]);
  });
});

/** Returns a text without the statements that import or export from other modules. */
function withoutImports(text = ""): string {
  return text.replaceAll(/^(?:import|export)\b[^;]*? from "[^"]*";$/gm, "").replaceAll(/\n+/g, "\n");
}
