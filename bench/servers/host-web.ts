import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { fetchHandler } from "../../generated/1.0/server/index.js";
import { makeAgent } from "./host-ours.js";
import { paths, type Kind, type Ready } from "./work.js";

/**
 * Serves our agent with its fetch handler. Converts each Node request to a `Request`, as adapters
 * do.
 */
export async function start(kind: Kind): Promise<Ready> {
  const handler = fetchHandler(makeAgent(kind), {
    jsonRpc: { path: paths.jsonRpc },
    rest: { path: paths.rest },
  });
  const http = createServer((request, response) => void serve(handler, request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return { httpPort: (http.address() as AddressInfo).port, grpcPort: 0 };
}

type Handler = (request: Request) => Promise<Response>;

async function serve(
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>;
  const init = { method, headers: entries as [string, string][], body, duplex: "half" as const };
  const answer = await handler(new Request(`http://127.0.0.1${url}`, init));
  const bytes = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    "content-length": bytes.length,
  });
  response.end(bytes);
}
