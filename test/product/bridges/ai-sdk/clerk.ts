import { aiAgent } from "../../../../library/bridges/ai-sdk.js";
import { type Framework, stepOf, type Tools, usageOf } from "../framework.js";
import { anyInput, items, linesIn, scripted, sdks } from "./scripted.js";

type Input = Readonly<Record<string, unknown>>;

function toolsOf({ mail, weather, slow }: Tools, version: "6" | "7") {
  return {
    mail: {
      inputSchema: anyInput,
      execute: ({ to }: Input) => mail(String(to)),
      // Version 7 has an option of the agent instead.
      ...(version === "6" && { needsApproval: true }),
    },
    weather: { inputSchema: anyInput, execute: ({ city }: Input) => weather(String(city)) },
    slow: {
      inputSchema: anyInput,
      execute: (_: Input, { abortSignal }: { abortSignal?: AbortSignal }) => slow(abortSignal),
    },
  };
}

/** Returns a version of the AI SDK. */
export function aiSdk(version: "6" | "7"): Framework {
  return {
    ...items,
    name: `AI SDK ${version}`,
    lacks: {},
    agent(script, given) {
      const { model } = scripted((_last, prompt) => stepOf(script, linesIn(prompt)));
      const tools = toolsOf(given, version);
      const toolApproval = { mail: "user-approval" } as never;
      const settings = { model, tools, ...(version === "7" && { toolApproval }) };
      const agent = new sdks[version].ToolLoopAgent(settings);
      return {
        serve: (options) => aiAgent(agent, options),
        async stream(prompt) {
          const steps = await (await agent.stream({ prompt })).steps;
          return steps.map(({ text }) => text).join("");
        },
      };
    },
    metadata: (calls) => ({ aiSdk: { finishReason: "stop", usage: usageOf(calls) } }),
  };
}
