import { createAdaptorServer } from "@hono/node-server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { completed } from "../../../../generated/1.0/kit/index.js";
import { callTool } from "../../../../library/bridges/mcp-tools.js";
import { mcpHandler, mcpServer } from "../../../../library/bridges/mcp.js";
import { agentOf, clerk } from "./agents.js";

const secret = "a secret of at least thirty-two bytes";
const name = "ask_Travel_clerk";
const slow = { name, arguments: { message: "slow" } };

describe("a connection", () => {
  it("a client that leaves an HTTP connection cancels the task", async () => {
    const { remote, canceled } = clerk();
    const handler = mcpHandler(remote, { secret });
    const server = createAdaptorServer({
      fetch: (request) => handler.fetch(request),
      // Other tests in this process use the classes of Node.
      overrideGlobalObjects: false,
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const client = await connectedTo(new URL(`http://127.0.0.1:${String(port)}/`));
    let isStarted = false;
    const call = client.callTool(slow, {
      onprogress: () => {
        isStarted = true;
      },
    });
    call.catch(() => undefined);
    await vi.waitFor(() => {
      expect(isStarted).toBe(true);
    });
    await client.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
    await vi.waitFor(() => {
      expect(canceled).toHaveLength(1);
    });
  });

  it("a host that closes the standard input cancels the task", async () => {
    const { remote, canceled } = clerk();
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    serveStdio(mcpServer(remote), { transport: new StdioServerTransport(stdin, stdout) });
    const send = (message: object) =>
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "host", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    send({ id: 1, method: "initialize", params });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { ...slow, _meta: { progressToken: 1 } } });
    let written = "";
    stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
    await vi.waitFor(() => {
      expect(written).toContain("Started");
    });
    stdin.end();
    await vi.waitFor(() => {
      expect(canceled).toHaveLength(1);
    });
  });

  it.each(["breaks", "ends"])(
    "a server whose connection %s in mid-call fails the task without details",
    async (how) => {
      const { remote } = clerk();
      const handler = mcpHandler(remote, { secret });
      const fetch = async (input: string | URL, init?: RequestInit) => {
        const response = await handler.fetch(new Request(input, init));
        if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
        return new Response(cut(response, how === "breaks"), response);
      };
      const client = await connectedTo(new URL("http://mcp.test"), fetch);
      const errors: unknown[] = [];
      const agent = agentOf(
        {
          async *run(turn) {
            const given = { message: "slow" };
            const called = yield* callTool(client, name, given, turn, { silenceMs: 100 });
            return completed(called.wait === undefined ? called.parts : called.question);
          },
        },
        {
          onError(error) {
            errors.push(error);
          },
        },
      );
      const outcome = await agent.ask("hi").result();
      expect(outcome.state).toBe("TASK_STATE_FAILED");
      expect(outcome.said).not.toContain("timed out");
      expect(errors.map(String)).toEqual([expect.stringContaining("timed out")]);
    },
  );
});

async function connectedTo(
  url: URL,
  fetch?: (input: string | URL, init?: RequestInit) => Promise<Response>,
): Promise<Client> {
  const client = new Client(
    { name: "host", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const options = fetch === undefined ? {} : { fetch };
  await client.connect(new StreamableHTTPClientTransport(url, options));
  return client;
}

/** Returns the first chunk of a body. Then the body breaks or ends. */
function cut({ body }: Response, breaks: boolean): ReadableStream<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  return new ReadableStream({
    async pull(controller) {
      const first = await reader?.read();
      controller.enqueue(first?.value ?? new Uint8Array());
      if (breaks) controller.error(new TypeError("terminated stream"));
      else controller.close();
      await reader?.cancel();
    },
  });
}
