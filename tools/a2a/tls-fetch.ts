import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Trust } from "a2a-codegen-runtime/internal/client";
import type { Fetch } from "../agents/index.js";
import { tlsFor, type Tls } from "./tls.js";

/**
 * Returns a `fetch` with other TLS options, which the `fetch` of Node does not support. It does not
 * follow redirects, which no caller in this tool leaves to `fetch`.
 */
export function tlsFetch(
  tls: Tls,
  isTrusted: Trust,
  plain: Fetch = (url, init) => globalThis.fetch(url, init),
): Fetch {
  return (url, init) => {
    if (!/^https:/i.test(url)) return plain(url, init);
    const { method = "GET", headers, body, signal } = init;
    return new Promise((resolve, reject) => {
      const options = {
        ...tlsFor(tls, isTrusted(url)),
        method,
        // A connection that is kept alive would keep the process alive, too.
        agent: false as const,
        headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(headers)) },
        ...(signal && { signal }),
      };
      const sent = request(url, options, (message) => resolve(responseOf(message)));
      sent.on("error", reject);
      // If a server switches protocols, the request closes without a response and without an error.
      sent.on("close", () =>
        reject(new Error("The server closed the connection without a response")),
      );
      sent.end(typeof body === "string" ? body : undefined);
    });
  };
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  // Node's type and the platform's type describe the same stream.
  const body = isEmpty
    ? null
    : (Readable.toWeb(message) as unknown as ConstructorParameters<typeof Response>[0]);
  return new Response(body, { status, headers });
}
