import { describe, expect, it, vi } from "vitest";
import { mcpHandler } from "../../../../library/bridges/mcp.js";
import { clerk, sdkClerk, type TestAgent } from "./agents.js";
import { newClient, oldClient, textsOf } from "./clients.js";

const secret = "a secret of at least thirty-two bytes";
const name = "ask_Travel_clerk";

const agents: readonly (readonly [string, () => TestAgent | Promise<TestAgent>])[] = [
  ["an agent of ours for 1.0", () => clerk()],
  ["an agent of ours for 0.3", () => clerk("0.3")],
  ["an agent on the official SDK", sdkClerk],
];

describe.each(agents)("%s as an MCP server", (_, start) => {
  it("the agent is a tool whose description contains the skills", async () => {
    const { remote } = await start();
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => [tool.name, tool.description])).toEqual([
      [name, "Books trips.\n\nSkills:\n- Book: Books a night."],
    ]);
  });

  it("the tool answers with text and files, and reports its progress", async () => {
    const { remote } = await start();
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const progress: (string | undefined)[] = [];
    const result = await client.callTool(
      { name, arguments: { message: "hello file" } },
      { onprogress: ({ message }) => progress.push(message) },
    );
    expect(textsOf(result)).toEqual(["# Tea\n\nYou said hello file."]);
    expect(result.content).toContainEqual({
      type: "resource",
      resource: {
        uri: "a2a:a.txt",
        blob: btoa("bytes"),
        mimeType: expect.stringMatching("^text/plain|octet-stream$") as string,
      },
    });
    expect(result.structuredContent).toMatchObject({
      state: "completed",
      answer: "# Tea\n\nYou said hello file.",
      contextId: expect.any(String) as string,
    });
    expect(progress[0]).toBe("Reading");
    expect(result.isError).toBeUndefined();
  });

  it("the client asks the user a question, and continues with the answer", async () => {
    const { remote } = await start();
    const answer = { action: "accept" as const, content: { answer: "two" } };
    const { client, elicited } = await newClient(mcpHandler(remote, { secret }), { answer });
    const result = await client.callTool({ name, arguments: { message: "book" } });
    expect(elicited).toEqual([{ message: "For how many nights?" }]);
    expect(textsOf(result)).toEqual(["Booked Oslo for two"]);
  });

  it.each(["decline", "cancel"] as const)(
    "the task is canceled if the user answers with %s",
    async (action) => {
      const { remote } = await start();
      const handler = mcpHandler(remote, { secret });
      const { client } = await newClient(handler, { answer: { action } });
      const result = await client.callTool({ name, arguments: { message: "book" } });
      expect(textsOf(result)).toEqual(["The question was declined, and the task is canceled."]);
      expect(result.isError).toBe(true);
    },
  );

  it("a client that cannot ask gets the question, and calls again", async () => {
    const { remote } = await start();
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const asked = await client.callTool({ name, arguments: { message: "book" } });
    expect(textsOf(asked)).toEqual(["For how many nights?"]);
    expect(asked.isError).toBeUndefined();
    const { taskId } = asked.structuredContent as { taskId: string };
    expect(JSON.stringify(asked.content)).toContain(taskId);
    const result = await client.callTool({ name, arguments: { message: "two", taskId } });
    expect(textsOf(result)).toEqual(["Booked Oslo for two"]);
  });

  it("a client of the earlier revision gets answers and questions", async () => {
    const { remote } = await start();
    const client = await oldClient(mcpHandler(remote, { secret }));
    const result = await client.callTool({ name, arguments: { message: "hi" } });
    expect(textsOf(result as Parameters<typeof textsOf>[0])).toEqual(["# Tea\n\nYou said hi."]);
    const asked = await client.callTool({ name, arguments: { message: "book" } });
    expect(asked["structuredContent"]).toMatchObject({ state: "input-required" });
  });

  it("the call fails if the task fails", async () => {
    const { remote } = await start();
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const result = await client.callTool({ name, arguments: { message: "fail" } });
    expect([result.isError, textsOf(result)]).toEqual([true, ["Out of paper"]]);
  });

  it("the task is canceled if the client cancels the call", async () => {
    const { remote, canceled } = await start();
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const caller = new AbortController();
    const call = client.callTool(
      { name, arguments: { message: "slow" } },
      {
        signal: caller.signal,
        onprogress: () => {
          caller.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => {
      expect(canceled).toHaveLength(1);
    });
  });

  it("an unknown task is one sentence", async () => {
    const { remote } = await start();
    const { client } = await newClient(mcpHandler(remote, { secret }));
    const result = await client.callTool({ name, arguments: { message: "two", taskId: "none" } });
    expect(result.isError).toBe(true);
    expect(textsOf(result)).toEqual([expect.stringMatching(/^The agent refused the call: .+$/)]);
  });
});
