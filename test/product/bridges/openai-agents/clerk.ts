import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  setTracingDisabled,
  type StreamEvent,
  tool,
  Usage,
} from "@openai/agents";
import { z } from "zod";
import { memberOf } from "../../../../library/bridges/reading.js";

setTracingDisabled(true);

/** A step of a model: texts, items, errors, and functions that it waits for. */
export type Step = readonly (
  string | object | Error | ((signal: AbortSignal | undefined) => Promise<unknown>)
)[];

type Done = Extract<StreamEvent, { type: "response_done" }>["response"];

/** Returns an item of a step that calls a tool. */
export function call(name: string, input: object): object {
  const callId = crypto.randomUUID();
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

/** Mails that the tool `mail` has sent. */
export const sent: string[] = [];

const mail = tool({
  name: "mail",
  description: "Sends a mail",
  parameters: z.object({ to: z.string() }),
  needsApproval: true,
  execute: ({ to }) => {
    sent.push(to);
    return `mailed ${to}`;
  },
});

/** Cities whose weather was asked for. */
export const cities: string[] = [];

const weather = tool({
  name: "weather",
  description: "Returns the weather",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => {
    cities.push(city);
    if (city === "Atlantis") throw new Error("secret of the tool");
    return `${city} is sunny`;
  },
});

/** Waits for the abort of the call, or never ends. */
export const slowCall = {
  begun: (): void => undefined,
  observesSignal: false,
  aborted: false,
};

const slow = tool({
  name: "slow",
  description: "Takes long",
  parameters: z.object({}),
  execute: async (_input, _context, details) => {
    slowCall.begun();
    await new Promise<void>((resolve) => {
      details?.signal?.addEventListener("abort", () => {
        slowCall.aborted = true;
        if (slowCall.observesSignal) resolve();
      });
    });
    return "late";
  },
});

/** Returns an agent of the OpenAI Agents SDK whose model is scripted. */
export function clerk(
  step: (last: string, input: readonly AgentInputItem[]) => Step,
  config: object = {},
) {
  const { model, inputs } = scripted(step);
  const agent = new Agent({
    name: "Clerk",
    instructions: "Help.",
    model,
    tools: [mail, weather, slow],
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
