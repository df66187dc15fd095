import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that the webhook receiver has received. */
export interface Received {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first {@link maxBody} bytes of the body. */
  readonly body: string;
  readonly isTruncated: boolean;
}

/** Maximum length of the body of a webhook request in bytes. The receiver ignores the rest. */
const maxBody = 2 ** 20;

/** Number of requests to store for pages that connect later. */
const kept = 100;

/** Maximum number of bytes to queue for a page that does not read them. */
const maxUnread = 2 ** 24;

/** Receives webhook requests from agents, and passes them to the open pages. */
export class HookInbox {
  readonly #received: Received[] = [];
  /** Length of the stored bodies. */
  #length = 0;
  readonly #pages = new Set<ServerResponse>();

  /** Stores a webhook request and confirms it. */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    const { text, isTruncated } = await bodyOf(request);
    const headers = Object.entries(request.headers).map(([name, value = ""]) => [
      name,
      [value].flat().join(", "),
    ]);
    const received = {
      at: Date.now(),
      headers: Object.fromEntries(headers) as Received["headers"],
      body: text,
      isTruncated,
    };
    this.#received.push(received);
    this.#length += text.length;
    // A page that connects later receives all stored requests at once, so they must fit into its
    // queue.
    while (
      this.#received.length > kept ||
      (this.#length > maxUnread / 4 && this.#received.length > 1)
    )
      this.#length -= this.#received.shift()?.body.length ?? 0;
    for (const page of this.#pages) write(page, received);
    response.writeHead(204).end();
  }

  /** Streams the stored requests and all later requests to a page, as server-sent events. */
  follow(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(":\n\n");
    for (const received of this.#received) write(response, received);
    this.#pages.add(response);
    response.once("close", () => this.#pages.delete(response));
  }
}

function write(page: ServerResponse, received: Received): void {
  if (page.writableLength > maxUnread) page.destroy();
  else page.write(`data: ${JSON.stringify(received)}\n\n`);
}

async function bodyOf(
  request: IncomingMessage,
): Promise<{ readonly text: string; readonly isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    // Read the rest without storing it. If the connection were closed, the agent would repeat the
    // request.
    if (size < maxBody) chunks.push(chunk.subarray(0, maxBody - size));
    size += chunk.length;
    if (size > 16 * maxBody) request.destroy();
  }
  return { text: Buffer.concat(chunks).toString(), isTruncated: size > maxBody };
}
