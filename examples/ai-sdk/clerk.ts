import { createServer } from "node:http";
import { aiAgent } from "a2a-codegen-runtime/bridges/ai-sdk";
import { tool, ToolLoopAgent } from "ai";
import { z } from "zod";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import { taskService } from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { model } from "./clerk-model.js";

const { PORT: port = "4000", PUBLIC_URL: url = `http://127.0.0.1:${port}` } = process.env;
const card: AgentCard = {
  name: "Clerk",
  description: "Answers, and sends mail.",
  version: "1.0.0",
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain", "image/png", "application/json"],
  defaultOutputModes: ["text/markdown"],
  skills: [],
};
const mail = tool({
  description: "Sends a mail.",
  inputSchema: z.object({ to: z.string() }),
  execute: ({ to }) => `Sent to ${to}`,
});
const clerk = new ToolLoopAgent({
  model,
  tools: { mail },
  toolApproval: { mail: "user-approval" },
});
const service = taskService(aiAgent(clerk));
const agent = createAgent({ card, service });
createServer(nodeListener(agent)).listen(Number(port), "127.0.0.1", () => {
  console.log(`${card.name} listens on ${url}`);
});
