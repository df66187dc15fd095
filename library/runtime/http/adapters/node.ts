import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { entriesOf, joined, type CallHeaders, type Peer } from "../../protocol/headers.js";
import {
  type Arrived,
  notFound,
  type HttpResponse,
  type HttpHandler,
  type HttpPart,
  type HttpRequest,
  type TextStream,
} from "../server.js";
import { decode, discard, readText } from "./node-body.js";

/** Options for a Node listener. */
export interface NodeOptions {
  /**
   * Milliseconds after which a connection is closed if its caller does not read the stream; 60,000
   * by default.
   */
  readonly unreadTimeoutMs?: number;
}

/** A listener for `node:http`, which is also a middleware for Connect and Express. */
export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Creates a listener for `http.createServer`, or a middleware for Express. A request that is not
 * for the agent is passed to `next`, or receives status 404 if `next` is absent. Pipelined requests
 * on a connection are processed one by one. The server limits how long a caller may take to send
 * its request: see `headersTimeout` and `requestTimeout` of `node:http`.
 */
export function nodeListener(
  handler: HttpHandler | HttpPart,
  options: NodeOptions = {},
): NodeListener {
  const unreadTimeoutMs = options.unreadTimeoutMs ?? 60_000;
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const result = await handler(new NodeRequest(request, response, next === undefined));
      if (result === undefined && next !== undefined) {
        next();
        return;
      }
      const sending = send(result ?? notFound(), request, response, unreadTimeoutMs);
      if (sending !== undefined) await sending;
    } catch (thrown) {
      if (next !== undefined && !response.headersSent) next(thrown);
      else response.destroy();
    }
  };
  return (request, response, next) => {
    if (hasLeft(request.socket)) {
      response.destroy();
      return;
    }
    // The responses of pipelined requests are sent in order. A queued request must not start early,
    // because its response has no connection yet, so it would not be notified of a disconnect.
    if (isQueued(response))
      queue(request.socket, response, () => void serve(request, response, next));
    else void serve(request, response, next);
  };
}

/**
 * Returns whether a caller has closed its connection before its request was read. The caller cannot
 * get a response, and its address, which counts for rates, is no longer known.
 */
function hasLeft({ remoteAddress, localAddress }: Socket): boolean {
  // A socket of the file system has no addresses.
  return remoteAddress === undefined && localAddress !== undefined;
}

function isQueued({ socket }: ServerResponse): boolean {
  return socket === null;
}

/** Maximum number of pipelined requests of a connection. */
const maxAhead = 100;

/** Number of queued requests of each connection. */
const waiting = /* @__PURE__ */ new WeakMap<Socket, number>();

/**
 * Calls `start` when all earlier responses of the connection have been sent. Closes a connection
 * with too many queued requests.
 */
function queue(socket: Socket, response: ServerResponse, start: () => void): void {
  const count = waiting.get(socket) ?? 0;
  if (count >= maxAhead) {
    socket.destroy();
    return;
  }
  waiting.set(socket, count + 1);
  response.once("socket", () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    start();
  });
}

class NodeRequest implements HttpRequest {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly isLast: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, isLast: boolean) {
    this.#request = request;
    this.#response = response;
    this.isLast = isLast;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get url(): string {
    const { url = "/" } = this.#request;
    // A request to a proxy contains the whole URL, and the proxy may forward the URL unchanged.
    return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, "/");
  }

  /** The URL that Express stores before it removes the path of a middleware. */
  get originalUrl(): string | undefined {
    const originalUrl: unknown = Reflect.get(this.#request, "originalUrl");
    return typeof originalUrl === "string" ? originalUrl : undefined;
  }

  get headers(): CallHeaders {
    return this;
  }

  get(name: string): string | undefined {
    const { headers } = this.#request;
    let value = headers[name];
    if (value === undefined) {
      // Most absent headers are requested in lower case. A second look-up would take longer than
      // this comparison.
      const lower = name.toLowerCase();
      if (lower !== name) value = headers[lower];
    }
    return joined(value);
  }

  entries(): [name: string, value: string][] {
    return entriesOf(this.#request.headers);
  }

  get peer(): Peer {
    return peerOf(this.#request.socket);
  }

  /** The `body` that a middleware has parsed. */
  get parsedBody(): unknown {
    const request: IncomingMessage & { readonly body?: unknown } = this.#request;
    const { body } = request;
    const isParsed = typeof body === "object" && !(body instanceof Uint8Array);
    return request.readableEnded && isParsed ? body : undefined;
  }

  readBody(maxBytes: number, arrived?: Arrived): Promise<string> {
    const request: IncomingMessage & { readonly body?: unknown } = this.#request;
    if (!request.readableEnded) return readText(request, maxBytes, arrived);
    // A middleware has already read the body, as bytes or as a string.
    const { body } = request;
    if (body instanceof Uint8Array) return Promise.resolve(decode(Buffer.from(body)));
    return Promise.resolve(typeof body === "string" ? body : "");
  }

  onClose(listener: () => void): void {
    const response = this.#response;
    if (response.destroyed && !response.writableFinished) {
      listener();
      return;
    }
    // The event is only emitted once, so `once` would only create an additional closure.
    response.on("close", () => {
      if (!response.writableFinished) listener();
    });
  }
}

/**
 * Returns the other end of a connection. Unverified certificates do not identify a caller, so they
 * are omitted.
 */
export function peerOf(socket: Socket): Peer {
  const secure: Socket & Partial<Pick<TLSSocket, "authorized" | "getPeerCertificate">> = socket;
  const certificate = secure.authorized === true ? secure.getPeerCertificate?.() : undefined;
  return { address: socket.remoteAddress, certificate };
}

function send(
  { status, headers, body = "" }: HttpResponse,
  request: IncomingMessage,
  response: ServerResponse,
  unreadTimeoutMs: number,
): Promise<void> | undefined {
  if (typeof body !== "string") {
    response.writeHead(status, headers);
    return pump(body, response, unreadTimeoutMs);
  }
  const chunk = chunkOf(body);
  const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
  if (status !== 204 && status !== 304) headers["content-length"] = String(length);
  response.writeHead(status, headers);
  if (status === 413 && !request.complete) {
    // The response is complete with its last byte, but ending it would close the connection.
    response.write(chunk);
    discard(request, () => response.end());
  } else response.end(request.method === "HEAD" ? undefined : chunk);
  return undefined;
}

/** Length above which a string is encoded before it is written. */
const largeText = 64 * 1024;

/**
 * Returns a string in the form that Node writes fastest. Node copies a string into a block of three
 * times its length and encodes the string there. For megabytes, this blocks the event loop twice as
 * long as writing bytes. Short strings are written faster as strings.
 */
function chunkOf(text: string): string | Buffer {
  return text.length > largeText ? Buffer.from(text) : text;
}

/** Writes a stream at the pace of the caller, and ends the stream when the caller disconnects. */
async function pump(
  body: TextStream,
  response: ServerResponse,
  unreadTimeoutMs: number,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  const stop = (): void => void iterator.return?.();
  if (isGone(response)) {
    stop();
    return;
  }
  response.once("close", stop);
  response.flushHeaders();
  for (;;) {
    const { done, value } = await iterator.next();
    // The caller may have disconnected while the event was awaited. `stop` has ended the stream.
    if (isGone(response)) return;
    if (done === true) break;
    if (!response.write(chunkOf(value))) await drained(response, unreadTimeoutMs);
  }
  response.off("close", stop);
  response.end();
}

function isGone(response: ServerResponse): boolean {
  return response.destroyed;
}

/**
 * Waits until the caller has read the written data or has disconnected. If neither happens in time,
 * closes the connection.
 */
function drained(response: ServerResponse, unreadTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), unreadTimeoutMs);
    const finish = (): void => {
      clearTimeout(timer);
      response.off("drain", finish).off("close", finish);
      resolve();
    };
    response.once("drain", finish).once("close", finish);
  });
}
