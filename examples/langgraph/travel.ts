import { createServer } from "node:http";
import { graphAgent } from "a2a-codegen-runtime/bridges/langgraph";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import { taskService } from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { graph } from "./travel-graph.js";

const { PORT: port = "4000", PUBLIC_URL: url = `http://127.0.0.1:${port}` } = process.env;
const card: AgentCard = {
  name: "Travel agent",
  description: "Books flights.",
  version: "1.0.0",
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain", "application/json"],
  defaultOutputModes: ["text/markdown"],
  skills: [],
};
const service = taskService(graphAgent(graph));
const agent = createAgent({ card, service });
createServer(nodeListener(agent)).listen(Number(port), "127.0.0.1", () => {
  console.log(`${card.name} listens on ${url}`);
});
