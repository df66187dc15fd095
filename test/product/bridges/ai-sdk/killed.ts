import { aiAgent } from "../../../../library/bridges/ai-sdk.js";
import { serveKilled } from "../kill/agent.js";
import type { Step } from "../framework.js";
import { anyInput, calling, scripted, sdks } from "./scripted.js";

/** Answers in three steps: a look-up, a mail that requires an approval, and a text. */
function nextStep(last: string): Step {
  if (last.includes('"found"')) return ["Writing to Ada.", calling("mail", { to: "ada" })];
  if (last.includes('"sent"')) return ["The mail is sent."];
  return ["Looking it up.", calling("search", {})];
}

serveKilled((note) => {
  const sdk = sdks[process.env["SDK"] === "6" ? "6" : "7"];
  const { model } = scripted(nextStep, {
    before: async (part) => {
      if ("delta" in part) await note("word");
      if ("type" in part && part.type === "finish") await note("model");
    },
  });
  const mail = {
    inputSchema: anyInput,
    async execute() {
      await note("mailing");
      await note("mailed");
      return "sent";
    },
  };
  const search = {
    inputSchema: anyInput,
    async execute() {
      await note("searched");
      return "found";
    },
  };
  if (process.env["SDK"] === "6") {
    const tools = { search, mail: { ...mail, needsApproval: true } };
    return aiAgent(new sdk.ToolLoopAgent({ model, tools }));
  }
  const tools = { search, mail };
  return aiAgent(new sdk.ToolLoopAgent({ model, tools, toolApproval: { mail: "user-approval" } }));
});
