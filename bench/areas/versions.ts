import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { packageFolder } from "../../support/package-folder.js";
import { findSource, generateFrom } from "../../test/support/output.js";
import { measures, thorough, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import { amount, rate, type Result } from "../result.js";
import { startHost, type Host } from "../servers/children.js";
import { httpLine } from "../servers/http-line.js";
import { keepBusy, type Line } from "../servers/line.js";
import { checkSame } from "../servers/same.js";
import { bundle } from "./size.js";

/**
 * Measures the cost of supporting another version: a 1.0 agent with a 0.3 caller, compared with a
 * 0.3 agent that does the same, and the size of a client of 1.0 that also supports 0.3.
 */
export async function* measure(effort: Effort = thorough): AsyncGenerator<Result> {
  const source = { ...findSource("1.0"), versions: [findSource("0.3.0")] };
  const folder = join(outFolder, "versions");
  for (const { path, text } of (await generateFrom(source)).files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  yield await ofCalls(adaptedAgent(folder), effort);
  const [plain, both] = [await bundle(client(folder, false)), await bundle(client(folder, true))];
  yield amount(
    "client bundle that speaks 0.3 as well, JSON-RPC, gzipped",
    both,
    "the same without",
    plain,
    "B",
  );
}

const params = {
  message: {
    kind: "message",
    messageId: "6b0cf0f1-6f50-4a6c-a9dc-0a4f3b6c1c55",
    role: "user",
    parts: [
      {
        kind: "text",
        text: "What is the weather like in Zürich on Tuesday, and do I need an umbrella?",
      },
    ],
  },
};

/** Longer turns for servers. */
const times = { rounds: 7, turnMs: 500, warmUpMs: 1500 };

/** Compares the CPU time that the agents use for a call over HTTP, each in a separate process. */
async function ofCalls(adapted: string, { quick }: Effort): Promise<Result> {
  const { rounds, turnMs, warmUpMs } = quick ? { rounds: 1, turnMs: 1, warmUpMs: 1 } : times;
  const hosts = [await hostOf("adapted", adapted), await hostOf("native", nativeAgent)] as const;
  try {
    const [ours, peer] = [await linesTo(hosts[0]), await linesTo(hosts[1])];
    const name = "A 0.3 call to a 1.0 agent, JSON-RPC";
    const responses = async ([line]: readonly Line[]): Promise<unknown[]> =>
      ((await line?.responses()) ?? []).map(
        (response) => JSON.parse(response.toString("utf8")) as unknown,
      );
    checkSame(name, await responses(ours), await responses(peer));
    for (const lines of [ours, peer]) await keepBusy(lines, warmUpMs);
    const turn = async (host: Host, lines: readonly Line[]): Promise<number> => {
      const before = await host.secondsUsed();
      const count = await keepBusy(lines, turnMs);
      return count / ((await host.secondsUsed()) - before);
    };
    const found = await measures(
      { ours: () => turn(hosts[0], ours), peer: () => turn(hosts[1], peer) },
      rounds,
    );
    for (const line of [...ours, ...peer]) line.close();
    return rate(name, found.ours, "a 0.3 agent", found.peer, "requests/s");
  } finally {
    for (const host of hosts) await host.stop();
  }
}

function linesTo({ httpPort }: Host): Promise<Line[]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params });
  const headers = { "content-type": "application/json", accept: "application/json" };
  return Promise.all(
    Array.from({ length: 16 }, () =>
      httpLine(httpPort, { path: "/", headers, body, stream: false }),
    ),
  );
}

/** Starts a program that exports an `agent` and a `nodeListener`. */
async function hostOf(name: string, program: string): Promise<Host> {
  const outfile = join(outFolder, `${name}.mjs`);
  const contents = `${program}
  import { createServer } from "node:http";
  const http = createServer(nodeListener(agent));
  http.listen(0, "127.0.0.1", () => process.send({ httpPort: http.address().port, grpcPort: 0 }));
  process.on("message", () => process.send(process.cpuUsage()));
  process.on("disconnect", () => process.exit());`;
  const stdin = { contents, resolveDir: packageFolder, loader: "ts" } as const;
  await build({
    stdin,
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return await startHost(outfile, name, "task");
}

const facts = {
  name: "Weather",
  description: "Answers at once",
  version: "1.0.0",
  capabilities: { streaming: true },
  skills: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
};
const ids =
  'id: "48c6e3d0-6f50-4a6c-a9dc-0a4f3b6c1c55", contextId: ' +
  '"c2e0b1a4-6f50-4a6c-a9dc-0a4f3b6c1c55"';
const text = "Partly cloudy and 14 °C with a chance of rain of 20 %: leave the umbrella at home.";
const timestamp = "2026-01-02T03:04:05.678Z";

const adaptedAgent = (folder: string): string => `
  import { createAgent } from "${folder}/index.js";
  import { nodeListener } from "${folder}/server/node.js";
  import { v0_3 } from "${folder}/versions/0.3/server.js";
  const card = { ...${JSON.stringify(facts)}, supportedInterfaces: [
    { url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ] };
  const artifacts = [{ artifactId: "answer", name: "Answer", parts: [{ text: ${JSON.stringify(text)} }] }];
  const sendMessage = ({ message }) => ({ task: {
    ${ids}, status: { state: "TASK_STATE_COMPLETED", timestamp: "${timestamp}" }, history: [message], artifacts,
  } });
  const agent = createAgent({ card, service: { sendMessage }, versions: [v0_3] });`;

const nativeAgent = `
  import { createAgent } from "${packageFolder}/generated/0.3.0/index.js";
  import { nodeListener } from "${packageFolder}/generated/0.3.0/server/node.js";
  const card = { ...${JSON.stringify(facts)}, url: "http://127.0.0.1/", protocolVersion: "0.3.0" };
  const parts = [{ kind: "text", text: ${JSON.stringify(text)} }];
  const artifacts = [{ artifactId: "answer", name: "Answer", parts }];
  const sendMessage = ({ message }) => ({
    kind: "task", ${ids}, status: { state: "completed", timestamp: "${timestamp}" }, history: [message], artifacts,
  });
  const agent = createAgent({ card, service: { sendMessage } });`;

/**
 * Returns a client that sends one message over JSON-RPC: to agents of 1.0 only, or to agents of
 * both versions.
 */
const client = (folder: string, isBoth: boolean): string => `
  import { A2AClient } from "${folder}/client/client.js";
  import { jsonRpcTransport } from "${folder}/client/jsonrpc.js";
  ${isBoth ? `import { jsonRpcTransport as old } from "${folder}/versions/0.3/jsonrpc.js";` : ""}
  const transport = ${isBoth ? "location.hash ? " + "old(location.href) : " : ""}jsonRpcTransport(location.href);
  const client = new A2AClient({ transport });
  client.sendMessage({ message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "hi" }] } }).then(console.log);`;
