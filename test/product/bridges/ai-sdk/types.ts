import { streamText as streamText6, ToolLoopAgent as ToolLoopAgent6, tool as tool6 } from "ai-6";
import { streamText, ToolLoopAgent, tool, type LanguageModel } from "ai";
import { z } from "zod";
import { remoteAgent } from "../../../../generated/1.0/kit/client/index.js";
import { taskService } from "../../../../generated/1.0/kit/index.js";
import { agentModel, agentTool, aiAgent } from "../../../../library/bridges/ai-sdk.js";

declare const model: Exclude<LanguageModel, string>;
const remote = remoteAgent("https://agent.example");

const tools = {
  mail: tool({ inputSchema: z.object({ to: z.string() }), execute: ({ to }) => `Sent to ${to}` }),
  researcher: agentTool(remote, { description: "Searches papers" }),
};
export const services = [
  taskService(
    aiAgent(new ToolLoopAgent({ model, tools, toolApproval: { mail: "user-approval" } })),
  ),
  taskService(aiAgent((call) => streamText({ model, tools, ...call }))),
  taskService(aiAgent((call, turn) => streamText({ model, ...call, instructions: turn.owner }))),
];
export const stream = streamText({ model: agentModel(remote), prompt: "What is new?" });

const six = agentModel(remote);
const tools6 = {
  mail: tool6({ inputSchema: z.object({ to: z.string() }), execute: ({ to }) => `Sent to ${to}` }),
  researcher: agentTool(remote, { description: "Searches papers" }),
};
export const services6 = [
  taskService(aiAgent(new ToolLoopAgent6({ model: six, tools: tools6 }))),
  taskService(aiAgent((call) => streamText6({ model: six, tools: tools6, ...call }))),
];
export const stream6 = streamText6({ model: six, prompt: "What is new?" });
