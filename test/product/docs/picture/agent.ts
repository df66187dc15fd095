import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAgent, type AgentCard } from "../../../../generated/1.0/index.js";
import {
  all,
  artifact,
  completed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";

async function* search(place: string, topic: string) {
  yield working(`Searching ${place}`);
  await pause(100);
  return `- What ${place} says about ${topic.toLowerCase()}\n`;
}

const service = taskService<unknown, { topic: string }>({
  anonymousLists: true,
  async *run({ message, state }) {
    if (!state)
      return inputRequired("For whom is the report?", { state: { topic: textOf(message) } });
    const { topic } = state;
    const found = yield* all(search("the web", topic), search("the news", topic));
    yield* artifact("report.md", "text/markdown").from([
      `# ${topic}, for ${textOf(message)}\n\n`,
      ...found,
    ]);
    return completed("Here is the report");
  },
});

/** Starts the agent of the README, which admits all callers, on a free port. */
export async function startAgent(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  server.on("request", nodeListener(createAgent({ card: cardAt(url), service })));
  return {
    url,
    async close() {
      await service.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

function cardAt(url: string): AgentCard {
  return {
    name: "Researcher",
    description: "Writes a report on a topic.",
    version: "1.0.0",
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/markdown"],
    skills: [
      { id: "report", name: "Report", description: "Looks into a topic.", tags: ["research"] },
    ],
  };
}
