import { build } from "esbuild";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { findSource, generateFrom, writeTo } from "../../../support/output.js";
import { runtimes } from "../../runtimes/runtimes.js";
import { newClient, textsOf } from "./clients.js";

/** A Worker that is an agent and its MCP server. */
const app = `
import { mcpHandler } from "a2a-codegen-runtime/bridges/mcp";
import { createAgent, fetchHandler } from "./a2a/index.ts";
import { remoteAgent } from "./a2a/kit/client/index.ts";
import { completed, inputRequired, taskService, textOf } from "./a2a/kit/index.ts";

const url = "https://agent.example";
const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
const card = {
  name: "W", description: "Works", version: "1",
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true }, ...modes, skills: [],
};
const service = taskService({
  async *run({ message, state }) {
    if (state === undefined) return inputRequired("Really?", { state: { asked: true } });
    return completed("You said " + textOf(message));
  },
});
let agent;
const fetch = (input, init) => {
  agent ??= fetchHandler(createAgent({ card, service }));
  return agent(new Request(input, init));
};
export default mcpHandler(remoteAgent(url, { fetch }), { secret: "s".repeat(32) });
`;

interface Worker {
  readonly default: { readonly fetch: (request: Request) => Promise<Response> };
}

const workerd = runtimes.find(({ name }) => name === "workerd");

/** Serves the Worker in workerd, or bundled in this process if workerd does not start here. */
async function fetchOf(folder: string): Promise<(request: Request) => Promise<Response>> {
  if (workerd?.program !== undefined) {
    const running = await workerd.start(workerd.program, folder);
    onTestFinished(() => running.stop());
    return (request) => fetch(new Request(new URL("/", running.url), request));
  }
  const outfile = join(folder, "worker.mjs");
  await build({ entryPoints: [join(folder, "app.ts")], outfile, bundle: true, format: "esm" });
  const worker = (await import(pathToFileURL(outfile).href)) as Worker;
  return (request) => worker.default.fetch(request);
}

it("a Worker is an MCP server that asks its users", async () => {
  const targets = ["server", "client", "jsonrpc", "tasks"];
  const output = await generateFrom(findSource("1.0"), { targets, importExtension: "ts" });
  const folder = join(writeTo(join("bridges", "mcp-worker", "a2a"), output), "..");
  writeTo(join("bridges", "mcp-worker"), { files: [{ path: "app.ts", text: app }] });
  const answer = { action: "accept", content: { answer: "yes" } } as const;
  const { client } = await newClient({ fetch: await fetchOf(folder) }, { answer });
  const result = await client.callTool({ name: "ask_W", arguments: { message: "hi" } });
  expect(textsOf(result)).toEqual(["You said yes"]);
});
