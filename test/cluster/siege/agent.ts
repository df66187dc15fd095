import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, type AgentCard } from "../../../generated/1.1-draft/index.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import { artifact } from "../../../templates/kit/artifact.js";
import { memoryStore } from "../../../templates/kit/memory-store.js";
import { taskService } from "../../../templates/kit/task-service.js";
import { completed, textOf, working } from "../../../templates/kit/updates.js";
import { engineOf } from "../engines/engines.js";
import { type AgentSetting, endless, userHeader, version } from "./protocol.js";

// A process of an agent with default options, which echoes messages to callers who name themselves in a header.

const { engine, address } = JSON.parse(process.argv[2] ?? "{}") as AgentSetting;
const store = engine === "memory" ? memoryStore() : engineOf(engine).open(address).store;

const service = taskService<string>({
  store,
  // Webhooks of the test are on loopback.
  push: { allowPrivate: true },
  async *run({ message, signal }) {
    const text = textOf(message);
    yield working("Thinking");
    if (text.startsWith(endless))
      await new Promise((_, reject) => {
        signal.addEventListener(
          "abort",
          () => {
            reject(signal.reason as Error);
          },
          { once: true },
        );
      });
    const echo = artifact("echo");
    yield echo.text(text);
    return completed("Done");
  },
});

const card: AgentCard = {
  name: "Besieged",
  description: "Echoes.",
  version: "1.0.0",
  supportedInterfaces: [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: version }],
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};
const agent = createAgent({
  card,
  service,
  authenticate: ({ headers }) => headers.get(userHeader) ?? "stranger",
  onError: () => undefined,
});
const server = createServer(nodeListener(agent));
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
});
process.on("disconnect", () => process.exit());
