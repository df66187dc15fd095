import { A2AAgent } from "@mastra/core/a2a";
import { describe, expect, it } from "vitest";
import { mastraAgent } from "../../../../library/bridges/mastra.js";
import { startPeer } from "../start-peer.js";
import { talkTo } from "../talk.js";
import { call, clerk, results } from "./clerk.js";

describe.each([
  ["the kit, 1.0", "1.0"],
  ["the kit, 0.3 only", "0.3"],
] as const)("the client of Mastra that calls an agent on %s", (kind, protocolVersion) => {
  const called = async () => {
    const { url } = await startPeer(kind);
    return new A2AAgent({ url: `${url}/.well-known/agent-card.json`, protocolVersion });
  };

  it("the client reads a text, and drops files", async () => {
    const { text, finishReason, files } = await (await called()).generate("a file");
    expect(text).toContain("You said a file");
    expect({ finishReason, files }).toEqual({ finishReason: "stop", files: [] });
  });

  it("the client is suspended by a question, and continues the task with its answer", async () => {
    const agent = await called();
    const { runId = "", text, finishReason } = await agent.generate("book");
    expect({ text, finishReason }).toEqual({
      text: "For how many nights?",
      finishReason: "suspended",
    });
    const resumed = await agent.resumeGenerate("two", { runId });
    expect(resumed.text).toBe("Booked Oslo for two");
  });

  it("the client takes a failure for an answer", async () => {
    const { text, finishReason } = await (await called()).generate("fail");
    expect({ text, finishReason }).toEqual({ text: "Out of paper", finishReason: "stop" });
  });
});

describe("the client of Mastra that calls a Mastra agent", () => {
  it("the client approves the call of a tool with data", async () => {
    const { agent } = clerk((last) => [results(last) ?? call("mail", { to: "ada" })]);
    const { send } = await talkTo(mastraAgent(agent));
    const client = new A2AAgent({
      url: "http://agent.test/.well-known/agent-card.json",
      protocolVersion: "1.0",
      fetch: (url, init) => send(new Request(url, init)),
    });
    const { runId = "", text } = await client.generate("mail ada");
    expect(text).toBe('Allow mail({"to":"ada"})?');
    const resumed = await client.resumeGenerate({ approved: true }, { runId });
    expect(resumed.text).toBe('Result: "mailed ada".');
  });
});
