import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { Project } from "./command.js";
import { libraryFolder, linkPackages } from "../../support/linked.js";

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
function projectWith(files: Readonly<Record<string, string>>) {
  const project = new Project({
    "package.json": '{ "name": "mine", "type": "module" }',
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...settings, skipLibCheck: true },
      include: ["src"],
    }),
    ...files,
  });
  const modules = project.path("node_modules");
  linkPackages(project.folder);
  for (const name of ["@grpc", "@types"])
    symlinkSync(join(packageFolder, "node_modules", name), join(modules, name));
  return project;
}

function compileAndRun(project: Project) {
  const tsc = join(packageFolder, "node_modules", "typescript-7", "bin", "tsc");
  execFileSync(process.execPath, [tsc], { cwd: project.folder, stdio: "inherit" });
  return execFileSync(process.execPath, ["dist/main.js"], {
    cwd: project.folder,
    encoding: "utf8",
  });
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

/**
 * Agents of two versions whose tasks and errors differ from the version of the compiled library.
 */
const versions = `
  import { createServer } from "node:http";
  import type { AddressInfo } from "node:net";
  import * as first from "./v1.0/index.js";
  import * as other from "./v1.0.0/index.js";
  import * as otherKit from "./v1.0.0/kit/index.js";
  import { nodeListener as otherListener } from "./v1.0.0/server/node.js";
  import * as later from "./v1.1-draft/index.js";
  import { followTask } from "./v1.1-draft/kit/client/index.js";
  import * as laterKit from "./v1.1-draft/kit/index.js";
  import { playTurn, turnFor } from "./v1.1-draft/kit/testing.js";
  import { nodeListener as laterListener } from "./v1.1-draft/server/node.js";

  async function served<Client>(
    listener: Parameters<typeof createServer>[1],
    use: (url: string) => Promise<Client & { close(): void }>,
  ): Promise<void> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const client = await use("http://127.0.0.1:" + (server.address() as AddressInfo).port);
    client.close();
    server.close();
  }

  const message = { messageId: "1", role: "ROLE_USER" as const, parts: [{ text: "Hi" }] };
  const card = {
    name: "A", description: "B", version: "1", capabilities: { streaming: true }, skills: [],
    defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
  };
  const cardAt = (url: string, protocolBinding: string, protocolVersion: string) => ({
    ...card, supportedInterfaces: [{ url, protocolBinding, protocolVersion }],
  });

  // A member that this version adds has its type, in turns, stores and what is followed.
  const behavior: laterKit.Behavior = {
    async *run({ task }) {
      const generation: string | undefined = task.generation;
      yield laterKit.working(generation);
      return laterKit.completed();
    },
  };
  await playTurn(behavior, turnFor("Hi"));
  const store: laterKit.TaskStore = laterKit.memoryStore();
  const stored: laterKit.Stored | undefined = await store.read({ tenant: "", owner: "" }, "none");
  const unknown: string | undefined = stored?.task.generation;
  const laterCard: later.AgentCard = cardAt("http://localhost", "JSONRPC", "1.1");
  const laterService = laterKit.taskService({ store, ...behavior });
  await served(laterListener(later.createAgent({ card: laterCard, service: laterService })), async (url) => {
    laterCard.supportedInterfaces = cardAt(url, "JSONRPC", "1.1").supportedInterfaces;
    const client = await later.connect(url);
    const generations: (string | undefined)[] = [unknown];
    for await (const { task } of followTask(client, { message })) generations.push(task?.generation);
    const missing = await client.getTask({ id: "none" }).catch((error: unknown) => error);
    console.log(generations[1], missing instanceof later.TaskNotFoundError, missing instanceof first.TaskNotFoundError);
    return client;
  });
  await laterService.close();

  // An error that the kit throws has the codes of the version of its agent.
  const otherCard: other.AgentCard = cardAt("http://localhost", "HTTP+JSON", "1.0");
  const otherService = otherKit.taskService({
    async *run() {
      yield otherKit.working();
      return otherKit.completed();
    },
  });
  await served(otherListener(other.createAgent({ card: otherCard, service: otherService })), async (url) => {
    otherCard.supportedInterfaces = cardAt(url, "HTTP+JSON", "1.0").supportedInterfaces;
    const client = await other.connect(url);
    const { task } = await client.sendMessage({ message });
    const refused: unknown = await client.cancelTask({ id: task?.id ?? "" }).catch((error: unknown) => error);
    const { httpStatus } = refused as other.TaskNotCancelableError;
    console.log(
      httpStatus, refused instanceof other.TaskNotCancelableError, refused instanceof first.TaskNotCancelableError,
    );
    return client;
  });
  await otherService.close();
`;

/** An agent whose service throws an error of an output that has another copy of the package. */
const twoCopies = `
  import { createAgent } from "./a2a/index.js";
  import { fetchHandler } from "./a2a/server/index.js";
  import { TaskNotFoundError } from "./other/a2a/index.js";

  const agent = createAgent({
    card: {
      name: "A", description: "B", version: "1", capabilities: {}, skills: [],
      defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
      supportedInterfaces: [{ url: "http://localhost", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
    },
    service: {
      getTask() {
        throw new TaskNotFoundError();
      },
    },
    onError: (error) => console.log(error instanceof Error ? error.message : error),
  });
  const response = await fetchHandler(agent)(
    new Request("http://localhost/tasks/1", { headers: { "a2a-version": "1.0" } }),
  );
  const body = (await response.json()) as { error: { message: string } };
  console.log(body.error.message);
`;

describe("an output that imports the package", () => {
  it(
    "the output compiles, runs, and shares its error classes with other outputs",
    patient,
    async () => {
      const project = projectWith({ "src/main.ts": `// @ts-nocheck\n${main}` });
      expect(await project.run("generate --runtime package")).toMatchObject({ code: 0 });
      expect(await project.run("generate --runtime package --out src/other")).toMatchObject({
        code: 0,
      });
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
    },
  );

  it("the output has few files and lines with client, server, three transports and tasks", async () => {
    const project = projectWith({});
    expect(await project.run("generate --runtime package --aliases none")).toMatchObject({
      code: 0,
    });
    const files = readdirSync(project.path("src/a2a"), {
      recursive: true,
      encoding: "utf8",
    }).filter((path) => path.endsWith(".ts"));
    const lines = files.reduce(
      (sum, path) =>
        sum + readFileSync(project.path(`src/a2a/${path}`), "utf8").split("\n").length - 1,
      0,
    );
    expect([files.length <= 50, lines <= 9_000]).toEqual([true, true]);
    // The compiler reads the declarations of a package only if declarations of the library import
    // it.
    const tsc = join(packageFolder, "node_modules", "typescript-7", "bin", "tsc");
    const read = execFileSync(process.execPath, [tsc, "--listFilesOnly"], {
      cwd: project.folder,
      encoding: "utf8",
    });
    expect(read).toContain("library/dist/runtime/bindings/grpc/client.d.ts");
    expect(read).not.toContain("@grpc/grpc-js");
  });

  it("the output becomes copies and an output of the package again without another difference", async () => {
    const project = projectWith({});
    const generate = async (runtime: string): Promise<Readonly<Record<string, string>>> => {
      expect(await project.run("generate --runtime", runtime)).toMatchObject({ code: 0 });
      return project.files("src/a2a");
    };
    const copied = await generate("copy");
    const packaged = await generate("package");
    expect(await generate("copy")).toEqual(copied);
    const changed = Object.keys(packaged).filter(
      (path) =>
        path.endsWith(".ts") && withoutImports(packaged[path]) !== withoutImports(copied[path]),
    );
    expect(changed.filter((path) => path !== "errors.ts" && !path.startsWith("kit/"))).toEqual([]);
  });

  it(
    "the error names the cause if a service throws an error of another copy of the package",
    patient,
    async () => {
      const project = projectWith({ "src/main.ts": twoCopies });
      for (const out of ["src/a2a", "src/other/a2a"])
        expect(await project.run("generate --runtime package --out", out)).toMatchObject({
          code: 0,
        });
      // The compiled program finds this copy for one of its outputs.
      const copy = project.path("dist/other/node_modules/a2a-codegen-runtime");
      for (const path of ["dist", "package.json"])
        cpSync(join(libraryFolder, path), join(copy, path), { recursive: true });
      expect(compileAndRun(project)).toBe(
        "TaskNotFoundError is sent as an internal error, because the program has two copies of a2a-codegen-runtime or of its " +
          "modules: run `npm dedupe`, or throw the error classes of the server's own output\nInternal error\n",
      );
    },
  );

  it(
    "every version with tasks has the kit of the package with the types of the version",
    patient,
    async () => {
      const project = projectWith({ "src/main.ts": versions });
      for (const version of ["1.0", "1.0.0", "1.1-draft"]) {
        const args = [
          "generate",
          "--spec",
          version,
          "--runtime",
          "package",
          "--out",
          `src/v${version}`,
        ];
        expect(await project.run(args)).toMatchObject({ code: 0 });
        expect(project.has(`src/v${version}/kit/engine`)).toBe(false);
      }
      expect(compileAndRun(project)).toBe("1 true true\n409 true true\n");
    },
  );
});

/** Returns a text without the statements that import or export from other modules. */
function withoutImports(text = "") {
  return text
    .replaceAll(/^(?:import|export)\b[^;]*? from "[^"]*";$/gm, "")
    .replaceAll(/\n+/g, "\n");
}
