import { Agent, type AgentInputItem, tool } from "@openai/agents";
import { z } from "zod";
import { openAiAgent } from "../../../../library/bridges/openai-agents.js";
import { serveKilled } from "../kill/agent.js";
import { call, results, scripted } from "./clerk.js";

/** Looks at the weather, sends a mail after an approval, and reports. */
function steps(input: readonly AgentInputItem[]) {
  const asked = input.filter(({ type }) => type === "function_call").length;
  if (asked === 0) return ["Looking. ", call("weather", {})];
  if (asked === 1) return ["Mailing. ", call("mail", {})];
  return [results(input) ?? ""];
}

serveKilled((note) => {
  const { model } = scripted((_last, input) => [() => note("model"), ...steps(input)]);
  const parameters = z.object({});
  const weather = tool({
    name: "weather",
    description: "Returns the weather",
    parameters,
    execute: () => note("weather").then(() => "sunny"),
  });
  const mail = tool({
    name: "mail",
    description: "Sends a mail",
    parameters,
    needsApproval: true,
    execute: () => note("mail").then(() => "mailed"),
  });
  return openAiAgent(new Agent({ name: "Clerk", model, tools: [weather, mail] }));
});
