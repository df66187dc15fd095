import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, it } from "vitest";
import { playTurn, turnFor } from "../../../../generated/1.0/kit/testing.js";
import { type Behavior, completed, failed, textOf } from "../../../../generated/1.0/kit/index.js";
import { callTool } from "../../../../library/bridges/mcp-tools.js";

async function agentOfOldServer(): Promise<Behavior> {
  const server = new McpServer({ name: "old", version: "1" });
  server.registerTool("search", {}, async ({ _meta, sendNotification }) => {
    const { progressToken = 0 } = _meta ?? {};
    const params = { progressToken, progress: 1, message: "Looking" };
    await sendNotification({ method: "notifications/progress", params });
    return { content: [{ type: "text", text: "Found" }] };
  });
  server.registerTool("ask", {}, async () => {
    const requestedSchema = { type: "object" as const, properties: {} };
    await server.server.elicitInput({ message: "Really?", requestedSchema });
    return { content: [] };
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "agent", version: "1" }, { capabilities });
  await client.connect(here);
  return {
    async *run(turn) {
      const called = yield* callTool(client, textOf(turn.message), {}, turn);
      if (called.wait !== undefined) return failed("It waits");
      return called.isError ? failed(called.error) : completed(called.parts);
    },
  };
}

it("a server of an earlier revision returns results and progress", async () => {
  const agent = await agentOfOldServer();
  const { updates, end } = await playTurn(agent, turnFor({ content: "search" }));
  expect(updates).toMatchObject([{ content: [{ text: "Looking" }] }]);
  expect(end.content).toEqual([{ text: "Found" }]);
});

it("a question of a server of an earlier revision is refused", async () => {
  const agent = await agentOfOldServer();
  const { end } = await playTurn(agent, turnFor({ content: "ask" }));
  expect(end.content).toEqual([{ text: expect.stringContaining("Method not found") as string }]);
});
