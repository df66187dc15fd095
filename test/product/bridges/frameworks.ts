import { aiSdk } from "./ai-sdk/clerk.js";
import type { Framework } from "./framework.js";
import { langGraph } from "./langgraph/clerk.js";
import { mastra } from "./mastra/clerk.js";
import { openAiAgents } from "./openai-agents/clerk.js";

const all: readonly Framework[] = [aiSdk("7"), aiSdk("6"), langGraph, mastra, openAiAgents];

/** The frameworks whose agents can be served, with their names. */
export const frameworks = all.map((framework) => [framework.name, framework] as const);
