import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import {
  artifact,
  completed,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";

/**
 * Starts an agent on a free port that answers every question in the same way, and returns its URL.
 */
export async function startSpecialist(
  name: string,
  answer: (question: string) => string,
): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  const card: AgentCard = {
    name,
    description: `Answers as a ${name.toLowerCase()}.`,
    version: "1.0.0",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const service = taskService({
    async *run({ message }) {
      yield working("Reading");
      yield* artifact("answer").from(answer(textOf(message)).split(/(?<= )/));
      return completed();
    },
  });
  server.on("request", nodeListener(createAgent({ card, service })));
  return url;
}
