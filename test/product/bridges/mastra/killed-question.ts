import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { z } from "zod";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { serveKilled } from "../kill/agent.js";
import { call, results, scripted } from "./clerk.js";

serveKilled((note, database) => {
  const { model } = scripted((last) => [
    () => note("model"),
    ...[results(last) ?? "Writing. "],
    ...(results(last) === undefined ? [call("mail", { to: "Ada" })] : []),
  ]);
  const mail = createTool({
    id: "mail",
    description: "Sends a mail",
    inputSchema: z.object({ to: z.string() }),
    requireApproval: true,
    execute: ({ to }) => note("mail").then(() => ({ mailed: to })),
  });
  const given = { id: "clerk", name: "Clerk", instructions: "Help.", model };
  const agents = { clerk: new Agent({ ...given, tools: { mail } }) };
  const storage = new LibSQLStore({ id: "runs", url: `file:${database}` });
  return mastraAgent(new Mastra({ agents, storage, logger: false }).getAgent("clerk"));
});
