import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { optionalString } from "../../../../library/bridges/reading.js";

/** A step of a model: texts, tool calls, other parts, errors, and functions to wait for. */
export type Step = readonly (
  string | object | Error | ((signal: AbortSignal | undefined) => Promise<unknown>)
)[];

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

let calls = 0;

/** Returns a part of a step that calls a tool. */
export function call(toolName: string, input: object): object {
  calls += 1;
  const toolCallId = `call-${String(calls)}`;
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/** Returns a model that answers each prompt with a step. `prompts` are the prompts it has seen. */
export function scripted(step: (last: string, prompt: readonly PromptMessage[]) => Step) {
  const prompts: (readonly PromptMessage[])[] = [];
  const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
  const model = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The agent must stream")),
    doStream: ({ prompt, abortSignal }: { prompt: PromptMessage[]; abortSignal?: AbortSignal }) => {
      prompts.push(prompt);
      const items = step(JSON.stringify(prompt.at(-1)?.content), prompt);
      const start = async (controller: ReadableStreamDefaultController): Promise<void> => {
        controller.enqueue({ type: "stream-start", warnings: [] });
        for (const [id, item] of items.entries()) {
          if (typeof item === "function") await item(abortSignal);
          else if (item instanceof Error) controller.enqueue({ type: "error", error: item });
          else for (const part of partsOf(item, String(id))) controller.enqueue(part);
        }
        const isCall = items.some((item) => optionalString(item, "type") === "tool-call");
        const finishReason = { unified: isCall ? "tool-calls" : "stop", raw: undefined };
        controller.enqueue({ type: "finish", usage, finishReason });
        controller.close();
      };
      const stream = new ReadableStream({
        start(controller) {
          start(controller).catch((error: unknown) => {
            controller.error(error);
          });
        },
      });
      return Promise.resolve({ stream });
    },
  };
  // Mastra does not export the types of the stream, which the AI SDK defines.
  return { model: model as unknown as MastraModelConfig, prompts };
}

function* partsOf(item: string | object, id: string): Generator<object> {
  if (typeof item !== "string") yield item;
  else {
    yield { type: "text-start", id };
    for (const delta of item.split(/(?<= )/)) yield { type: "text-delta", id, delta };
    yield { type: "text-end", id };
  }
}

/** Mails that the tool `mail` has sent. */
export const sent: string[] = [];

const mail = createTool({
  id: "mail",
  description: "Sends a mail",
  inputSchema: z.object({ to: z.string() }),
  requireApproval: true,
  execute: ({ to }) => {
    sent.push(to);
    return Promise.resolve({ mailed: to });
  },
});

const weather = createTool({
  id: "weather",
  description: "Returns the weather",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => {
    if (city === "Atlantis") return Promise.reject(new Error("secret of the tool"));
    return Promise.resolve({ [city]: "sunny" });
  },
});

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

/** Waits for the abort of the call, or never ends. */
export const slowCall = {
  begun: (): void => undefined,
  observesSignal: false,
  aborted: false,
};

const slow = createTool({
  id: "slow",
  description: "Takes long",
  inputSchema: z.object({}),
  execute: async (_input, { abortSignal }) => {
    slowCall.begun();
    await new Promise<void>((resolve) => {
      abortSignal?.addEventListener("abort", () => {
        slowCall.aborted = true;
        if (slowCall.observesSignal) resolve();
      });
    });
    return {};
  },
});

const tools = { mail, weather, paint, book, slow };

/** Returns a Mastra agent whose model is scripted. Agents can share a storage. */
export function clerk(
  step: (last: string, prompt: readonly PromptMessage[]) => Step,
  { storage = new InMemoryStore(), parallel = false, config = {} } = {},
) {
  const { model, prompts } = scripted(step);
  const agent = new Agent({
    id: "clerk",
    name: "Clerk",
    instructions: "Help.",
    model,
    maxRetries: 0,
    tools: parallel ? { choose } : tools,
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
