import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { linkPackages } from "../../support/linked.js";
import { Project } from "./command.js";

const run = promisify(execFile);

/** An agent and its callers over each transport. */
const program = `
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { connect, createAgent, jsonRpc, rest, type AgentCard } from "./a2a/index.js";
import { grpc } from "./a2a/client/grpc.js";
import { completed, taskService, textOf } from "./a2a/kit/index.js";
import { grpcService } from "./a2a/server/grpc.js";
import { nodeListener } from "./a2a/server/node.js";

const service = taskService({
  async *run({ message }) {
    return completed("You said: " + textOf(message));
  },
});

async function main(): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const peer = new Server();
  const port = await new Promise<number>((resolve, reject) =>
    peer.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  const url = "http://127.0.0.1:" + String((server.address() as AddressInfo).port);
  const urls = { JSONRPC: url, "HTTP+JSON": url, GRPC: "http://127.0.0.1:" + String(port) };
  const card: AgentCard = {
    name: "Agent", description: "Echoes.", version: "1", capabilities: {}, defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"], skills: [],
    supportedInterfaces: Object.entries(urls).map(([protocolBinding, at]) => ({ url: at, protocolBinding, protocolVersion: "1.0" })),
  };
  const agent = createAgent({ card, service });
  server.on("request", nodeListener(agent));
  const { definition, implementation } = grpcService(agent);
  peer.addService(definition, implementation);
  for (const transport of [jsonRpc(), rest(), grpc()]) {
    const client = await connect(url, { transports: [transport] });
    const message = { messageId: "m-" + transport.binding, role: "ROLE_USER" as const, parts: [{ text: "hi" }] };
    const response = await client.sendMessage({ message });
    console.log(transport.binding, "task" in response ? response.task.status.state : "no task", typeof require);
    client.close();
  }
  server.close();
  server.closeAllConnections();
  peer.forceShutdown();
}
void main();
`;

const compilerOptions = {
  target: "ES2022",
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  outDir: "dist",
  rootDir: "src",
  types: ["node"],
  skipLibCheck: true,
};

/** Compilers and options with which the copies in an output become CommonJS modules. */
const ways = [
  ["typescript-7", "NodeNext"],
  ["typescript-5.9", "CommonJS"],
] as const;

describe("a project in CommonJS", () => {
  it.each(ways)(
    "a CommonJS project with %s and %s serves and calls over each transport",
    async (compiler, module) => {
      const project = new Project({ "package.json": "{}", "src/main.ts": program });
      symlinkSync(join(packageFolder, "node_modules"), project.path("node_modules"));
      const { stderr, stdout } = await project.run("generate --runtime copy");
      expect(stderr).toBe("");
      expect(stdout).toContain(
        'the project is CommonJS, and the output is compiled to CommonJS: set "module" to "commonjs" or "nodenext" in tsconfig.json, or run npm pkg set type=module',
      );
      project.write({
        "tsconfig.json": JSON.stringify({
          compilerOptions: { ...compilerOptions, module },
          include: ["src"],
        }),
      });
      const tsc = join(packageFolder, "node_modules", compiler, "bin", "tsc");
      await run(process.execPath, [tsc, "-p", project.folder]).catch((error: unknown) => {
        throw new Error(
          error instanceof Error && "stdout" in error ? String(error.stdout) : String(error),
        );
      });
      expect(
        (await run(process.execPath, [project.path("dist/main.js")])).stdout.trim().split("\n"),
      ).toEqual([
        "JSONRPC TASK_STATE_COMPLETED function",
        "HTTP+JSON TASK_STATE_COMPLETED function",
        "GRPC TASK_STATE_COMPLETED function",
      ]);
    },
  );

  it("a CommonJS project that imports the package learns that copies also compile under CommonJS", async () => {
    const project = new Project({ "package.json": "{}", "node_modules/x": "" });
    linkPackages(project.folder);
    const { stdout } = await project.run("generate --runtime package");
    expect(stdout).toContain(
      'set "module": "nodenext" in tsconfig.json, or run npm pkg set type=module; with --runtime copy, "module": "commonjs" also works',
    );
  });

  it.each([
    [
      { type: "commonjs" },
      'package.json has "type": "commonjs", with which Next.js refuses ES modules: run npm pkg delete type',
    ],
    [{}, undefined],
  ])(
    "a project with Next.js and the description %j learns what Next.js requires",
    async (description, advice) => {
      const dependencies = { next: "16.0.0", "@grpc/grpc-js": "1" };
      const project = new Project({
        "package.json": JSON.stringify({ ...description, dependencies }),
      });
      const { stdout } = await project.run("init --yes --import-extension none");
      expect(
        stdout
          .split("\n")
          .find((line) => /commonjs/i.test(line))
          ?.trim(),
      ).toBe(advice);
    },
  );
});
