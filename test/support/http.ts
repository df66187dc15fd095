import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { onTestFinished } from "vitest";
import { portOf } from "./ports.js";

/** Request that a server has received. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/**
 * Starts an HTTP server on a free port of the loopback interface, which stops with the test.
 * Returns its URL.
 */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return urlOf(server);
}

/** Starts an HTTP server whose listener must know its URL, like {@link listen}. */
export async function listenAt(listenerOf: (url: string) => RequestListener): Promise<string> {
  const server: { listener?: RequestListener } = {};
  const url = await listen((request, response) => server.listener?.(request, response));
  server.listener = listenerOf(url);
  return url;
}

/**
 * Starts an HTTP server that responds once it has the whole request, and keeps what it has
 * received.
 */
export async function serve(
  respond: (received: Received, response: ServerResponse) => void,
): Promise<{ url: string; requests: Received[] }> {
  const requests: Received[] = [];
  const url = await listen((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const received = { method, url, headers, body };
      requests.push(received);
      respond(received, response);
    });
  });
  return { url, requests };
}

/** Returns an unused URL of the loopback interface. */
export async function nowhere(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = urlOf(server);
  await once(server.close(), "close");
  return url;
}

function urlOf(server: Server) {
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Responds with JSON. */
export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  type = "application/json",
): void {
  response.writeHead(status, { "content-type": type }).end(JSON.stringify(value));
}
