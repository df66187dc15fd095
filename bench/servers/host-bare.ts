import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { answer, type Ready } from "./work.js";

/**
 * The minimal JSON-RPC server: reads the body, parses it, and writes the response. It checks
 * neither path, headers, body size nor request, and only supports one method.
 */
export async function start(): Promise<Ready> {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => reply(request, response, Buffer.concat(chunks).toString("utf8")));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return { httpPort: (http.address() as AddressInfo).port, grpcPort: 0 };
}

function reply(_request: IncomingMessage, response: ServerResponse, text: string): void {
  const { id } = JSON.parse(text) as { readonly id: unknown };
  const message = { messageId: crypto.randomUUID(), role: "ROLE_AGENT", parts: [{ text: answer }] };
  const body = JSON.stringify({ jsonrpc: "2.0", id, result: { message } });
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
