import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import {
  artifact,
  completed,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";

const {
  HOST: host = "127.0.0.1",
  PORT: port = "4000",
  PUBLIC_URL: url = `http://127.0.0.1:${port}`,
} = process.env;
const card: AgentCard = {
  name: "Greeter",
  description: "Greets the visitors of its page.",
  version: "1.0.0",
  supportedInterfaces: [
    { url: `${url}/agent`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    { id: "greet", name: "Greet", description: "Greets by name.", tags: ["greeting"] },
  ],
};

const service = taskService({
  async *run({ message }) {
    yield working("Thinking");
    yield* artifact("greeting").from(["Hello ", textOf(message)]);
    return completed();
  },
});

/** The files of the page, by path. */
const files = new Map([
  ["/", { file: "page.html", type: "text/html; charset=utf-8" }],
  ["/page.js", { file: "dist/public/page.js", type: "text/javascript" }],
]);

async function servePage(path: string, response: ServerResponse): Promise<void> {
  const { file = "", type = "text/plain" } = files.get(path) ?? {};
  try {
    const content = await readFile(file);
    response.writeHead(200, { "content-type": type }).end(content);
  } catch {
    response.writeHead(404).end("Not found");
  }
}

const listen = nodeListener(createAgent({ card, service }), {
  jsonRpc: { path: "/agent" },
  rest: { path: "/agent", passUnknown: true },
});
createServer((request, response) => {
  listen(request, response, () => void servePage(request.url ?? "", response));
}).listen(Number(port), host, () => {
  console.log(`${card.name} listens on ${url}`);
});
