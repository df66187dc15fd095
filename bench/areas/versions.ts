import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { packageFolder } from "../../generator/support/package-folder.js";
import { findSource, generateFrom } from "../../test/support/output.js";
import { ratesLater, thorough, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import { amount, rate, type Result } from "../result.js";
import { bundle } from "./size.js";

/** An agent that is called without a socket, so that nothing but its own work is measured. */
interface Handler {
  readonly respond: (request: object) => Promise<{ readonly status: number; readonly body: string }>;
}

/**
 * Measures what it costs to speak another version: an agent of 1.0 that a caller of 0.3 calls, next to one of 0.3 that
 * does the same, and what a client of 1.0 takes that speaks 0.3, too.
 */
export async function* measure(effort: Effort = thorough): AsyncGenerator<Result> {
  const source = { ...findSource("1.0"), versions: [findSource("0.3.0")] };
  const folder = join(outFolder, "versions");
  for (const { path, text } of (await generateFrom(source)).files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const [adapted, native] = [await handlerOf("adapted", adaptedAgent(folder)), await handlerOf("native", nativeAgent)];
  const [there, here] = [await call(adapted), await call(native)];
  if (there.length !== here.length) throw new Error(`The agents do not respond alike: ${there} but ${here}`);
  const { ours, peer } = await ratesLater({ ours: () => call(adapted), peer: () => call(native) }, effort, 4);
  yield rate("A call of 0.3 to an agent of 1.0, JSON-RPC", ours, "an agent of 0.3", peer, "requests/s");
  const [plain, both] = [await bundle(client(folder, false)), await bundle(client(folder, true))];
  yield amount("client bundle that speaks 0.3 as well, JSON-RPC, gzipped", both, "the same without", plain, "B");
}

const params = {
  message: {
    kind: "message",
    messageId: "6b0cf0f1-6f50-4a6c-a9dc-0a4f3b6c1c55",
    role: "user",
    parts: [{ kind: "text", text: "What is the weather like in Zürich on Tuesday, and do I need an umbrella?" }],
  },
};

const request = {
  method: "POST",
  url: "/",
  headers: { get: (name: string) => (name.toLowerCase() === "content-type" ? "application/json" : undefined) },
  readBody: () => Promise.resolve(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params })),
  onClose: () => undefined,
};

async function call({ respond }: Handler): Promise<string> {
  const { status, body } = await respond(request);
  if (status !== 200 || !body.includes('"result"')) throw new Error(body);
  return body;
}

/** Loads a program whose last line exports a handler. */
async function handlerOf(name: string, contents: string): Promise<Handler> {
  const outfile = join(outFolder, `${name}.mjs`);
  const stdin = { contents, resolveDir: packageFolder, loader: "ts" } as const;
  await build({ stdin, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
  return (await import(outfile)) as Handler;
}

const facts = {
  ...{
    name: "Weather",
    description: "Answers at once",
    version: "1.0.0",
    capabilities: { streaming: true },
    skills: [],
  },
  ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
};
const ids = `id: "48c6e3d0-6f50-4a6c-a9dc-0a4f3b6c1c55", contextId: "c2e0b1a4-6f50-4a6c-a9dc-0a4f3b6c1c55"`;
const text = "Partly cloudy and 14 °C with a chance of rain of 20 %: leave the umbrella at home.";
const timestamp = "2026-01-02T03:04:05.678Z";

const adaptedAgent = (folder: string): string => `
  import { createAgent } from "${folder}/index.js";
  import { httpHandler } from "${folder}/server/http.js";
  import { v0_3 } from "${folder}/versions/0.3/server.js";
  const card = { ...${JSON.stringify(facts)}, supportedInterfaces: [
    { url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ] };
  const artifacts = [{ artifactId: "answer", name: "Answer", parts: [{ text: ${JSON.stringify(text)} }] }];
  const sendMessage = ({ message }) => ({ task: {
    ${ids}, status: { state: "TASK_STATE_COMPLETED", timestamp: "${timestamp}" }, history: [message], artifacts,
  } });
  export const respond = httpHandler(createAgent({ card, service: { sendMessage }, versions: [v0_3] }));`;

const nativeAgent = `
  import { createAgent } from "${packageFolder}/generated/0.3.0/index.js";
  import { httpHandler } from "${packageFolder}/generated/0.3.0/server/http.js";
  const card = { ...${JSON.stringify(facts)}, url: "http://127.0.0.1/", protocolVersion: "0.3.0" };
  const parts = [{ kind: "text", text: ${JSON.stringify(text)} }];
  const artifacts = [{ artifactId: "answer", name: "Answer", parts }];
  const sendMessage = ({ message }) => ({
    kind: "task", ${ids}, status: { state: "completed", timestamp: "${timestamp}" }, history: [message], artifacts,
  });
  export const respond = httpHandler(createAgent({ card, service: { sendMessage } }));`;

/** A client that sends one message over JSON-RPC: to an agent of 1.0, or to one of either version. */
const client = (folder: string, isBoth: boolean): string => `
  import { A2AClient } from "${folder}/client/client.js";
  import { jsonRpcTransport } from "${folder}/client/jsonrpc.js";
  ${isBoth ? `import { jsonRpcTransport as old } from "${folder}/versions/0.3/jsonrpc.js";` : ""}
  const transport = ${isBoth ? "location.hash ? old(location.href) : " : ""}jsonRpcTransport(location.href);
  const client = new A2AClient({ transport });
  client.sendMessage({ message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "hi" }] } }).then(console.log);`;
