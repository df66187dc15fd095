import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { A2AClient } from "../../generated/1.0/index.js";
import { drain } from "../support/everywhere.js";
import type { Subject } from "./subject.js";
import { portOf } from "../support/ports.js";

const stops: (() => unknown)[] = [];

/** Stops something when the tests of the file are over. */
export function stopWith(stop: () => unknown): void {
  stops.push(stop);
}

/** Stops every server that the tests of a file have started. */
export async function stopServers(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

/** Starts a server with any given response and returns its URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("error", () => undefined);
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stopWith(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Makes a call with one answer and one with a stream, and gives what each of them throws. */
export async function failuresOf(
  { samples }: Subject,
  client: A2AClient,
  timeoutMs = 5000,
): Promise<unknown[]> {
  const request = { message: samples.message } as never;
  const unary = client.getTask({ id: "t1" }, { timeoutMs }).then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  const { elements, failure = { value: elements } } = await drain(
    client.sendStreamingMessage(request, { timeoutMs }),
  );
  return [await unary, failure];
}

/** Responds with JSON, or with a string or bytes unchanged. */
export function json(body: unknown, status = 200, headers = {}) {
  return (_: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body));
}

/** Responds with a stream of unchanged events. */
export function events(...pieces: readonly string[]) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(pieces.join(""));
  };
}

/** Objects nested so many levels deep, as text. */
export function textOfDeep(levels: number): string {
  return '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
}

/** The response of JSON-RPC with a result. */
export function rpcResult(value: unknown): object {
  return { jsonrpc: "2.0", id: 1, result: value };
}
