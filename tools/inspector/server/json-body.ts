import type { IncomingMessage, ServerResponse } from "node:http";

/** Maximum size of a request from the page in bytes. A message may contain files. */
const maxBytes = 2 ** 27;

/**
 * Reads the body of a request from the page. The token proves that the page sent it, so its members are not checked.
 */
export async function readJson<T>(request: IncomingMessage): Promise<T> {
  // A form on another site cannot send this type without a preflight request.
  if (request.headers["content-type"] !== "application/json") throw new Error("The request must be JSON");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The request is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

/** Sends a JSON document. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
