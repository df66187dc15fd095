import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { items, linesIn, scripted as scriptedModel } from "../ai-sdk/scripted.js";
import { desk, type Framework, type Step, stepOf, type Tools, usageOf } from "../framework.js";

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** Returns a part of a step that calls a tool. */
export const { call } = items;

/** Returns a model that answers each prompt with a step. `prompts` are the prompts it has seen. */
export function scripted(step: (last: string, prompt: readonly PromptMessage[]) => Step) {
  const { model, prompts } = scriptedModel((last, prompt) =>
    step(last, prompt as readonly PromptMessage[]),
  );
  return {
    // Mastra does not export the types of the stream, which the AI SDK defines.
    model: model as unknown as MastraModelConfig,
    prompts: prompts as readonly (readonly PromptMessage[])[],
  };
}

function toolsOf({ mail, weather, slow }: Tools) {
  return {
    mail: createTool({
      id: "mail",
      description: "Sends a mail",
      inputSchema: z.object({ to: z.string() }),
      requireApproval: true,
      execute: ({ to }) => Promise.resolve(mail(to)),
    }),
    weather: createTool({
      id: "weather",
      description: "Returns the weather",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => Promise.resolve(weather(city)),
    }),
    slow: createTool({
      id: "slow",
      description: "Takes long",
      inputSchema: z.object({}),
      execute: (_input, { abortSignal }) => slow(abortSignal),
    }),
  };
}

const paint = createTool({
  id: "paint",
  description: "Paints",
  inputSchema: z.object({}),
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ colour: z.string() }),
  execute: async (_input, { agent }) => {
    if (agent?.resumeData !== undefined) return { painted: agent.resumeData.colour };
    return agent?.suspend({ question: "Which colour?" });
  },
});

const book = createTool({
  id: "book",
  description: "Books a room",
  inputSchema: z.object({}),
  suspendSchema: z.object({ reason: z.string() }),
  resumeSchema: z.object({ nights: z.number(), view: z.string().optional() }),
  execute: async (_input, { agent }) => {
    if (agent?.resumeData !== undefined) return { nights: agent.resumeData.nights };
    return agent?.suspend({ reason: "The stay is not known." });
  },
});

/** A tool that does not declare that it suspends, so that its calls are suspended together. */
const choose = createTool({
  id: "choose",
  description: "Chooses",
  inputSchema: z.object({ what: z.string() }),
  execute: async ({ what }, { agent }) => {
    if (agent?.resumeData !== undefined) return { [what]: agent.resumeData };
    return agent?.suspend({ question: `Which ${what}?` });
  },
});

/** Returns a Mastra agent whose model is scripted. Agents can share a storage. */
export function clerk(
  step: (last: string, prompt: readonly PromptMessage[]) => Step,
  { storage = new InMemoryStore(), parallel = false, config = {}, tools = desk } = {},
) {
  const { model, prompts } = scripted(step);
  const agent = new Agent({
    id: "clerk",
    name: "Clerk",
    instructions: "Help.",
    model,
    maxRetries: 0,
    tools: parallel ? { choose } : { ...toolsOf(tools), paint, book },
    ...config,
  });
  const mastra = new Mastra({ agents: { clerk: agent }, storage, logger: false });
  return { agent: mastra.getAgent("clerk"), prompts, storage };
}

/** Returns the text of the prompt's last tool result. */
export function results(last: string): string | undefined {
  return last.includes('"tool-result"') ? `Result: ${outputs(last)}.` : undefined;
}

function outputs(last: string): string {
  const content = JSON.parse(last) as { output?: { value?: unknown; reason?: unknown } }[];
  return content.map(({ output }) => JSON.stringify(output?.value ?? output?.reason)).join(", ");
}

/** Mastra, with agents that are served. */
export const mastra: Framework = {
  ...items,
  name: "Mastra",
  lacks: { "two questions at once": "Mastra asks for one approval after the other" },
  agent(script, tools) {
    const { agent } = clerk((_last, prompt) => stepOf(script, linesIn(prompt)), { tools });
    return {
      serve: (options) => mastraAgent(agent, options),
      async stream(prompt) {
        let text = "";
        for await (const chunk of (await agent.stream(prompt)).fullStream)
          if (chunk.type === "text-delta") text += chunk.payload.text;
        return text;
      },
    };
  },
  metadata: (calls) => ({ mastra: { finishReason: "stop", usage: usageOf(calls) } }),
};
