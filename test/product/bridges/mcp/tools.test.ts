import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired as ask,
  inputResponse,
  McpServer,
} from "@modelcontextprotocol/server";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Outcome } from "../../../../generated/1.0/kit/client/index.js";
import {
  artifact,
  authRequired,
  type Behavior,
  completed,
  failed,
  inputRequired,
  textOf,
} from "../../../../generated/1.0/kit/index.js";
import { callTool, type McpWait } from "../../../../library/bridges/mcp-tools.js";
import { mcpHandler } from "../../../../library/bridges/mcp.js";
import { agentOf, clerk } from "./agents.js";

/** Calls of tools that were aborted, by their names. */
const aborted: string[] = [];

/** Calls of tools that have begun, by their names. */
const begun: string[] = [];

const nights = z.object({ nights: z.number().int() });
const trip = z.object({ city: z.string(), breakfast: z.boolean() });

function newServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  const inputSchema = z.object({ query: z.string().optional() });
  server.registerTool("search", { inputSchema }, async ({ query = "" }, context) => {
    const progressToken = context.mcpReq._meta?.progressToken ?? 0;
    const notify = (params: object) =>
      context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, ...params },
      });
    await notify({ progress: 1, message: "Looking" });
    await notify({ progress: 2, total: 3 });
    return {
      content: [
        { type: "text", text: `Found ${query}` },
        { type: "image", data: btoa("i"), mimeType: "image/png" },
        { type: "resource_link", uri: "https://files.example/a", name: "a" },
        { type: "resource_link", uri: "file:///a", name: "a" },
        { type: "resource", resource: { uri: "a:/b/c%20d.bin?e", blob: btoa("b") } },
        { type: "resource", resource: { uri: "a:b", text: "c", mimeType: "text/csv" } },
      ],
      structuredContent: { hits: 1 },
    };
  });
  server.registerTool("hang", { inputSchema }, async (_, context) => {
    begun.push("hang");
    context.mcpReq.signal.addEventListener("abort", () => aborted.push("hang"));
    await new Promise(() => undefined);
    return { content: [] };
  });
  server.registerTool("throw", { inputSchema }, () => {
    throw new Error("An internal detail");
  });
  server.registerTool("book", { inputSchema }, ({ query = "" }, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "nights");
    if (answer.kind === "elicit" && answer.action !== "accept")
      return { content: [{ type: "text", text: `Booked nothing, ${answer.action}` }] };
    const given = acceptedContent(mcpReq.inputResponses, "nights", nights);
    if (given === undefined)
      return ask({
        inputRequests: { nights: ask.elicit({ message: "How long?", requestedSchema: nights }) },
        requestState: `for ${query}`,
      });
    const text = `Booked ${query} for ${String(given.nights)}, ${String(mcpReq.requestState())}`;
    return { content: [{ type: "text", text }] };
  });
  server.registerTool("trip", { inputSchema }, (_, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "trip", trip);
    if (given === undefined)
      return ask({
        inputRequests: { trip: ask.elicit({ message: "Where?", requestedSchema: trip }) },
      });
    return { content: [{ type: "text", text: JSON.stringify(given) }] };
  });
  server.registerTool("sign-in", { inputSchema }, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "a");
    if (answer.kind === "elicit") return { content: [{ type: "text", text: answer.action }] };
    const url = "https://login.example/x";
    return ask({ inputRequests: { a: ask.elicitUrl({ message: "Sign in", url }) } });
  });
  return server;
}

/** Returns a client without sockets. Its requests fail if `isDead` returns true. */
async function connected(
  handler: { fetch: (request: Request) => Promise<Response> } = createMcpHandler(newServer),
  isDead = () => false,
): Promise<Client> {
  const client = new Client(
    { name: "agent", version: "1" },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: "auto" },
    },
  );
  const fetch = (input: string | URL, init?: RequestInit) =>
    isDead()
      ? Promise.reject(new TypeError("fetch failed"))
      : handler.fetch(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://mcp.test"), { fetch }));
  return client;
}

/** An agent whose first message is the name of a tool, and the query after a blank. */
function toolAgent(client: Client): Behavior<unknown, McpWait> {
  return {
    async *run(turn) {
      const [tool = "", query = ""] = textOf(turn.message).split(" ");
      const name = turn.state?.mcp.key ?? tool;
      const called = yield* callTool(client, name, { query }, turn);
      if (called.wait !== undefined) {
        const end = called.links.length > 0 ? authRequired<McpWait> : inputRequired<McpWait>;
        return end(called.question, { state: called.wait });
      }
      if (called.isError) return failed(`The tool ${name} has failed`);
      yield artifact("result").finish(called.parts);
      return completed();
    },
  };
}

const texts = ({ parts }: Outcome) =>
  parts.flatMap(({ text }) => (text === undefined ? [] : [text]));

describe("a tool of an MCP server in a turn", () => {
  it("the content becomes parts, and the progress becomes updates", async () => {
    const remote = agentOf(toolAgent(await connected()));
    const progress: string[] = [];
    const answer = remote.ask("search tea");
    for await (const piece of answer)
      if (piece.type === "progress") progress.push(textOf(piece.message));
    expect(progress).toEqual(["Looking", "search: 2 of 3"]);
    expect((await answer.result()).parts).toEqual([
      { text: "Found tea" },
      { raw: btoa("i"), mediaType: "image/png" },
      { url: "https://files.example/a", filename: "a" },
      { data: { type: "resource_link", uri: "file:///a", name: "a" } },
      { raw: btoa("b"), filename: "c d.bin" },
      { text: "c", mediaType: "text/csv", filename: "b" },
    ]);
  });

  it("a question ends the turn, and the next turn answers it with the first arguments", async () => {
    const remote = agentOf(toolAgent(await connected()));
    const asked = await remote.ask("book Oslo").result();
    expect([asked.state, asked.said]).toEqual(["TASK_STATE_INPUT_REQUIRED", "How long?"]);
    expect(asked.parts[1]?.data).toMatchObject({
      type: "elicitation",
      id: "nights",
      schema: { properties: { nights: { type: "integer" } } },
    });
    const taskId = asked.task?.id;
    const again = await remote.ask("a few", { taskId }).result();
    expect([again.state, again.said]).toEqual(["TASK_STATE_INPUT_REQUIRED", "How long?"]);
    const done = await remote.ask("2", { taskId }).result();
    expect(texts(done)).toEqual(["Booked Oslo for 2, for Oslo"]);
  });

  it("a question is answered in another process", async () => {
    // The first client and its server are gone when the answer arrives.
    let client = await connected();
    const remote = agentOf<McpWait>({
      run: (turn) => toolAgent(client).run(turn),
    });
    const asked = await remote.ask("book Rome").result();
    client = await connected();
    const done = await remote.ask("3", { taskId: asked.task?.id }).result();
    expect(texts(done)).toEqual(["Booked Rome for 3, for Rome"]);
  });

  it.each([
    ["cancel", "Booked nothing, decline"],
    [{ id: "nights", action: "cancel" }, "Booked nothing, cancel"],
    [{ id: "nights", content: { nights: 4 } }, "Booked Oslo for 4, for Oslo"],
    [{ nights: 5 }, "Booked Oslo for 5, for Oslo"],
  ])("the answer %j is passed to the tool", async (data, expected) => {
    const remote = agentOf(toolAgent(await connected()));
    const asked = await remote.ask("book Oslo").result();
    const content = typeof data === "string" ? data : [{ data }];
    const done = await remote.ask(content, { taskId: asked.task?.id }).result();
    expect(texts(done)).toEqual([expected]);
  });

  it("a form with several fields takes data, and a text does not answer it", async () => {
    const remote = agentOf(toolAgent(await connected()));
    const { task } = await remote.ask("trip").result();
    const taskId = task?.id;
    const again = await remote.ask("Oslo", { taskId }).result();
    expect(again.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const data = { city: "Oslo", breakfast: true };
    const done = await remote.ask([{ data }], { taskId }).result();
    expect(texts(done)).toEqual([JSON.stringify(data)]);
  });

  it("an address to open becomes a sign-in of the caller", async () => {
    const remote = agentOf(toolAgent(await connected()));
    const asked = await remote.ask("sign-in").result();
    expect([asked.state, asked.links]).toEqual([
      "TASK_STATE_AUTH_REQUIRED",
      ["https://login.example/x"],
    ]);
    const done = await remote.ask("done", { taskId: asked.task?.id }).result();
    expect(texts(done)).toEqual(["accept"]);
  });

  it("several tools are called in one turn, and the second call of a tool is new", async () => {
    const client = await connected();
    const remote = agentOf<McpWait>({
      async *run(turn) {
        const first = yield* callTool(client, "book", { query: "a" }, turn, { key: "first" });
        if (first.wait !== undefined) return inputRequired(first.question, { state: first.wait });
        const search = yield* callTool(client, "search", { query: "b" }, turn);
        const second = yield* callTool(client, "book", { query: "c" }, turn, { key: "first" });
        const asks = second.wait !== undefined && "asks";
        return completed([
          ...(first.isError ? [] : first.parts.slice(0, 1)),
          ...(search.wait === undefined ? search.parts.slice(0, 1) : []),
          { text: String(asks) },
        ]);
      },
    });
    const asked = await remote.ask("hi").result();
    const done = await remote.ask("1", { taskId: asked.task?.id }).result();
    expect(texts(done)).toEqual(["Booked a for 1, for a", "Found b", "asks"]);
  });

  it("the text of an exception in a tool does not reach callers", async () => {
    const client = await connected();
    const errors: unknown[] = [];
    const remote = agentOf({
      async *run(turn) {
        const called = yield* callTool(client, "throw", {}, turn);
        if (called.wait === undefined) errors.push(called.error);
        if (called.wait === undefined && called.isError) return completed(called.parts);
        return failed();
      },
    });
    const outcome = await remote.ask("throw").result();
    expect(JSON.stringify(outcome)).not.toContain("internal detail");
    expect(errors).toEqual(["An internal detail"]);
  });

  it("a tool that hangs is canceled with the task", async () => {
    aborted.length = begun.length = 0;
    const remote = agentOf(toolAgent(await connected()));
    const caller = new AbortController();
    const call = remote.ask("hang", { signal: caller.signal }).result();
    await vi.waitFor(() => {
      expect(begun).toEqual(["hang"]);
    });
    caller.abort();
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => {
      expect(aborted).toEqual(["hang"]);
    });
  });

  it("a tool that hangs ends with its turn", async () => {
    const remote = agentOf(toolAgent(await connected()), { limits: { turnWithinMs: 50 } });
    expect((await remote.ask("hang").result()).state).toBe("TASK_STATE_FAILED");
  });

  it("an unknown tool and a server that has died fail the task without details", async () => {
    let isDead = false;
    const client = await connected(createMcpHandler(newServer), () => isDead);
    const errors: unknown[] = [];
    const onError = (error: unknown) => {
      errors.push(error);
    };
    const remote = agentOf(toolAgent(client), { onError });
    const unknown = await remote.ask("nope").result();
    isDead = true;
    const dead = await remote.ask("search").result();
    expect([unknown, dead].map(({ state, said }) => [state, said])).toEqual([
      ["TASK_STATE_FAILED", expect.not.stringContaining("nope")],
      ["TASK_STATE_FAILED", expect.not.stringContaining("fetch")],
    ]);
    expect(errors.map(String)).toEqual([
      expect.stringContaining("nope"),
      expect.stringContaining("fetch failed"),
    ]);
  });

  it("an agent behind our MCP server is a tool as well", async () => {
    const handler = mcpHandler(clerk().remote, { secret: "s".repeat(32) });
    const client = await connected(handler);
    const remote = agentOf<McpWait>({
      async *run(turn) {
        const message = textOf(turn.message);
        const called = yield* callTool(client, "ask_Travel_clerk", { message }, turn);
        if (called.wait !== undefined)
          return inputRequired(called.question, { state: called.wait });
        return completed(called.parts.slice(0, 1));
      },
    });
    const asked = await remote.ask("book").result();
    expect(asked.said).toBe("For how many nights?");
    const done = await remote.ask("two", { taskId: asked.task?.id }).result();
    expect(texts(done)).toEqual(["Booked Oslo for two"]);
  });
});
