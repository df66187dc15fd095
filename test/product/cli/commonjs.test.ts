import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
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

describe("a project in CommonJS", () => {
  it("a CommonJS project compiles the output under NodeNext, and serves and calls over each transport", async () => {
    const project = new Project({ "package.json": "{}", "src/main.ts": program });
    symlinkSync(join(packageFolder, "node_modules"), project.path("node_modules"));
    const { stderr, stdout } = await project.run(["generate"]);
    expect(stderr).toBe("");
    expect(stdout).toContain(
      'the project is CommonJS, but the output has ES modules: set "module": "nodenext" in tsconfig.json, or run npm pkg set type=module',
    );
    project.write({ "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }) });
    const tsc = join(packageFolder, "node_modules", "typescript-7", "bin", "tsc");
    await run(process.execPath, [tsc, "-p", project.folder]).catch((error: unknown) => {
      throw new Error(error instanceof Error && "stdout" in error ? String(error.stdout) : String(error));
    });
    expect((await run(process.execPath, [project.path("dist/main.js")])).stdout.trim().split("\n")).toEqual([
      "JSONRPC TASK_STATE_COMPLETED function",
      "HTTP+JSON TASK_STATE_COMPLETED function",
      "GRPC TASK_STATE_COMPLETED function",
    ]);
  });
});
