import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ReachError, type Reach } from "./reach.js";

/** A request that the page asks the command to send. */
export interface Forwarded {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Whether redirects within the origin are followed. */
  readonly follow: boolean;
}

/** The response to a forwarded request. */
export interface Forwardable {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** Headers that belong to one connection. `node:http` sets these headers itself. */
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
]);

const maxRedirects = 5;

/**
 * Sends a request to an origin that `reach` allows.
 *
 * @throws {ReachError} if the origin is not allowed, or if the response redirects to another origin
 */
export async function forward(
  request: Forwarded,
  reach: Reach,
  signal: AbortSignal,
): Promise<Forwardable> {
  let { url } = request;
  for (let hops = 0; ; hops += 1) {
    reach.check(url);
    const response = await send({ ...request, url }, reach, signal);
    const next = request.follow ? redirectOf(response, url) : undefined;
    if (next === undefined) return forwardable(response, url);
    response.destroy();
    const { origin } = new URL(next);
    // A redirect must not determine which host receives requests from this machine.
    if (origin !== new URL(url).origin)
      throw new ReachError(
        "refused",
        origin,
        `${url} redirects to another origin: ${origin}. Enter that URL instead`,
      );
    if (hops === maxRedirects) throw new Error(`${url} redirects more than ${maxRedirects} times`);
    url = next;
  }
}

function send(
  { url, method, headers, body }: Forwarded,
  reach: Reach,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = new URL(url);
  const kept = Object.entries(headers).filter(
    ([name]) => !connectionHeaders.has(name.toLowerCase()),
  );
  const start = target.protocol === "https:" ? httpsRequest : httpRequest;
  const options = {
    method,
    signal,
    agent: false as const,
    lookup: reach.lookupFor(url),
    headers: { "accept-encoding": "identity", ...Object.fromEntries(kept) },
  };
  return new Promise((resolve, reject) => {
    const request = start(target, options, resolve).on("error", reject);
    // A server that switches protocols closes the request without a response and without an error.
    request.on("close", () => {
      reject(new Error("The agent closed the connection without a response"));
    });
    request.end(body);
  });
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: string): string | undefined {
  const { location } = headers;
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode);
  if (!isRedirect || location === undefined || !URL.canParse(location, url)) return undefined;
  return new URL(location, url).href;
}

function forwardable(response: IncomingMessage, url: string): Forwardable {
  const { statusCode = 502, headers } = response;
  const entries = Object.entries(headers).map(
    ([name, value = ""]) => [name, [value].flat().join(", ")] as const,
  );
  return { url, status: statusCode, headers: Object.fromEntries(entries), body: decoded(response) };
}

/**
 * Decompresses the body if the server compresses it although the request does not allow
 * compression.
 */
function decoded(response: IncomingMessage): Readable {
  const decoders = new Map<string, () => Transform>([
    ["gzip", createGunzip],
    ["x-gzip", createGunzip],
    ["deflate", createInflate],
    ["br", createBrotliDecompress],
  ]);
  const decoder = decoders.get(response.headers["content-encoding"]?.toLowerCase() ?? "")?.();
  if (decoder === undefined) return response;
  response.on("error", (error) => decoder.destroy(error));
  return response.pipe(decoder);
}
