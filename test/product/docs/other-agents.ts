import { once } from "node:events";
import { createServer } from "node:http";
import { createAgent, type AgentCard } from "../../../generated/1.0/index.js";
import {
  completed,
  failed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";

const asker = taskService<unknown, string>({
  *run({ state, message }) {
    yield working("Thinking");
    return state === undefined
      ? inputRequired("For whom?", { state: "asked" })
      : completed(`For ${textOf(message)}`);
  },
});
const helper = taskService({
  *run({ message }) {
    yield working("Thinking");
    return textOf(message) === "fail" ? failed("No luck") : completed(textOf(message));
  },
});

/**
 * Starts an agent that asks a question and an agent that fails if it is told to. Returns their
 * URLs.
 */
export async function startOthers(): Promise<{ readonly urls: readonly string[]; stop(): void }> {
  const servers = [createServer(), createServer()];
  const names = ["Asker", "Helper"];
  const urls: string[] = [];
  for (const [index, server] of servers.entries()) {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
    const card: AgentCard = {
      name: names[index] ?? "",
      description: "Takes part in a test.",
      version: "1.0.0",
      supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: { streaming: true },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [],
    };
    server.on(
      "request",
      nodeListener(createAgent({ card, service: index === 0 ? asker : helper })),
    );
    urls.push(url);
  }
  return { urls, stop: () => servers.forEach((server) => server.close().closeAllConnections()) };
}
