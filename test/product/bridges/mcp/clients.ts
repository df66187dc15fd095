import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { AuthInfo, McpHttpHandler, McpServerFactory } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

const url = new URL("http://mcp.test/mcp");

/** A question of a client to its user. */
export interface Elicited {
  readonly message: string;
  readonly url?: string;
}

/** How the user of a client answers. */
export interface Answering {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string>;
}

/** Options of a client. */
export interface ClientOptions {
  /** The answer of the user; a client without a user cannot be asked. */
  readonly answer?: Answering | undefined;
  readonly modes?: { form?: Record<string, never>; url?: Record<string, never> } | undefined;
  /** The caller, as the check of a token identifies it. */
  readonly authInfo?: AuthInfo | undefined;
}

/** Connects a client of the revision 2026-07-28, without sockets. */
export async function newClient(
  handler: Pick<McpHttpHandler, "fetch">,
  { answer, modes = { form: {}, url: {} }, authInfo }: ClientOptions = {},
): Promise<{ client: Client; elicited: Elicited[] }> {
  const elicited: Elicited[] = [];
  const client = new Client(
    { name: "host", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: modes },
      versionNegotiation: { mode: "auto" },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      elicited.push({
        message: params.message,
        ...(params.mode === "url" && { url: params.url }),
      });
      return { ...answer };
    });
  const fetch = fetchOf(handler, authInfo);
  await client.connect(new StreamableHTTPClientTransport(url, { fetch }));
  return { client, elicited };
}

/** Connects a client of the revision 2025-11-25, without sockets. */
export async function oldClient(handler: Pick<McpHttpHandler, "fetch">): Promise<OldClient> {
  const client = new OldClient(
    { name: "old", version: "1" },
    { capabilities: { elicitation: {} } },
  );
  const transport = new OldTransport(url, { fetch: fetchOf(handler) });
  await client.connect(transport);
  return client;
}

/**
 * Connects a client of the revision 2025-11-25 over a transport of messages, as over stdio. Its
 * user answers "two".
 */
export async function oldPipedClient(factory: McpServerFactory): Promise<OldClient> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const served = serveStdio(factory, { transport: there });
  onTestFinished(() => served.close());
  const client = new OldClient(
    { name: "old", version: "1" },
    { capabilities: { elicitation: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: "accept",
    content: { answer: "two" },
  }));
  await client.connect(here);
  return client;
}

/** Returns the texts of a result, without the block for models. */
export function textsOf({ content }: Pick<CallToolResult, "content">): string[] {
  return content.flatMap((block) =>
    block.type === "text" && block.annotations === undefined ? [block.text] : [],
  );
}

function fetchOf(handler: Pick<McpHttpHandler, "fetch">, authInfo?: AuthInfo) {
  return (input: string | URL, init?: RequestInit): Promise<Response> =>
    handler.fetch(new Request(input, init), authInfo === undefined ? {} : { authInfo });
}
