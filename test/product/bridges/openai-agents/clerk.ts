import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  run,
  setTraceProcessors,
  setTracingDisabled,
  type StreamEvent,
  tool,
  Usage,
} from "@openai/agents";
import { z } from "zod";
import { openAiAgent } from "../../../../library/bridges/openai-agents.js";
import { memberOf, optionalString } from "../../../../library/bridges/reading.js";
import { items } from "../ai-sdk/scripted.js";
import {
  callText,
  desk,
  fileText,
  type Framework,
  linesOf,
  type Step,
  stepOf,
  type Tools,
  usageOf,
} from "../framework.js";

setTracingDisabled(true);
// Ends the timer of the export. Other test files of the process may have fake timers, and then it
// would run forever.
setTraceProcessors([]);

type Done = Extract<StreamEvent, { type: "response_done" }>["response"];

/** Returns an item of a step that calls a tool. */
export function call(name: string, input: object, callId: string = crypto.randomUUID()): object {
  return {
    type: "function_call",
    callId,
    name,
    status: "completed",
    arguments: JSON.stringify(input),
  };
}

/** Returns an item of a step that is a message. */
export function message(...content: object[]): object {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    id: crypto.randomUUID(),
    content,
  };
}

/** Returns a model that answers each input with a step. `inputs` are the inputs it has seen. */
export function scripted(step: (last: string, input: readonly AgentInputItem[]) => Step) {
  const inputs: (readonly AgentInputItem[])[] = [];
  async function* stream({ input, signal }: ModelRequest): AsyncGenerator<StreamEvent> {
    const items: AgentInputItem[] =
      typeof input === "string" ? [{ role: "user", content: input }] : [...input];
    inputs.push(items);
    yield { type: "response_started" };
    const output: object[] = [];
    for (const item of step(JSON.stringify(items.at(-1)), items)) {
      if (typeof item === "function") await item(signal);
      else if (item instanceof Error) throw item;
      else if (typeof item === "string") {
        for (const delta of item.split(/(?<= )/)) yield { type: "output_text_delta", delta };
        output.push(message({ type: "output_text", text: item }));
      } else output.push(item);
    }
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    // The items of a script have the form of output items.
    yield {
      type: "response_done",
      response: { id: `r${String(inputs.length)}`, output: output as Done["output"], usage },
    };
  }
  const model: Model = {
    // Agents that are tools of other agents do not stream.
    async getResponse(request) {
      for await (const event of stream(request))
        if (event.type === "response_done") {
          const { inputTokens, outputTokens, totalTokens } = event.response.usage;
          const usage = new Usage({ inputTokens, outputTokens, totalTokens });
          return { output: event.response.output, usage };
        }
      throw new Error("The model has not responded");
    },
    getStreamedResponse: stream,
  };
  return { model, inputs };
}

function toolsOf({ mail, weather, slow }: Tools) {
  return [
    tool({
      name: "mail",
      description: "Sends a mail",
      parameters: z.object({ to: z.string() }),
      needsApproval: true,
      execute: ({ to }) => mail(to),
    }),
    tool({
      name: "weather",
      description: "Returns the weather",
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => weather(city),
    }),
    tool({
      name: "slow",
      description: "Takes long",
      parameters: z.object({}),
      execute: (_input, _context, details) => slow(details?.signal),
    }),
  ];
}

/** Returns an agent of the OpenAI Agents SDK whose model is scripted. */
export function clerk(
  step: (last: string, input: readonly AgentInputItem[]) => Step,
  config: object = {},
  tools = desk,
) {
  const { model, inputs } = scripted(step);
  const agent = new Agent({
    name: "Clerk",
    instructions: "Help.",
    model,
    tools: toolsOf(tools),
    ...config,
  });
  return { agent, inputs };
}

/** Returns the texts of the last results of tools. */
export function results(input: readonly AgentInputItem[]): string | undefined {
  const last = input.findLastIndex(({ type }) => type !== "function_call_result");
  const outputs = input
    .slice(last + 1)
    .map((item) => JSON.stringify(memberOf(item, "output", "text")));
  return outputs.length === 0 ? undefined : `Result: ${outputs.join(", ")}.`;
}

/** Returns the role and the texts of an item in the input of a model. */
function saidIn(item: AgentInputItem): string[] {
  if (item.type === "function_call") return ["assistant", callText(item.name, item.arguments)];
  if (item.type === "function_call_result")
    return ["tool", optionalString(item.output, "text") ?? JSON.stringify(item.output)];
  const contents = [memberOf(item, "content") ?? []].flat<unknown[]>();
  return [optionalString(item, "role") ?? "", ...contents.map(textOf)];
}

function textOf(content: unknown): string {
  const url = optionalString(content, "image") ?? optionalString(content, "file") ?? "";
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
  return mediaType === undefined
    ? (optionalString(content, "text") ?? String(content))
    : fileText(mediaType, data, optionalString(content, "filename"));
}

/** The OpenAI Agents SDK, with agents that are served. */
export const openAiAgents: Framework = {
  name: "the OpenAI Agents SDK",
  lacks: { "errors of tools": "the SDK replaces an error by a result" },
  agent(script, tools) {
    const { agent } = clerk(
      (_last, input) => stepOf(script, linesOf(input.map(saidIn))),
      {},
      tools,
    );
    return {
      serve: (options) => openAiAgent(agent, options),
      async stream(prompt) {
        let text = "";
        for await (const event of await run(agent, prompt, { stream: true }))
          if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta")
            text += event.data.delta;
        return text;
      },
    };
  },
  call,
  image: (data) => message({ type: "image", image: `data:image/png;base64,${data}` }),
  reasoning: (text) => [{ type: "reasoning", id: "r", content: [{ type: "input_text", text }] }],
  metadata: (calls) => ({ openAiAgents: { usage: { requests: calls, ...usageOf(calls) } } }),
  decision: items.decision,
};
