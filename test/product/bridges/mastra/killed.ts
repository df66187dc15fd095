import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { serveKilled } from "../kill/agent.js";
import { call, results, scripted } from "./clerk.js";

serveKilled((note) => {
  const { model } = scripted((last) => [
    () => note("model"),
    ...[results(last) ?? "Looking. "],
    ...(results(last) === undefined ? [call("weather", {})] : []),
  ]);
  const weather = createTool({
    id: "weather",
    description: "Returns the weather",
    inputSchema: z.object({}),
    execute: () => note("weather").then(() => ({ sky: "blue" })),
  });
  const given = { id: "clerk", name: "Clerk", instructions: "Help.", model };
  const agents = { clerk: new Agent({ ...given, tools: { weather } }) };
  return mastraAgent(new Mastra({ agents, logger: false }).getAgent("clerk"));
});
