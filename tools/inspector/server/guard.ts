import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Facts about the server that determine which requests it serves. */
export interface Door {
  /** The first segment of the path of every request. */
  readonly token: string;
  readonly port: number;
}

/** A request that the server may serve. */
export interface Admitted {
  /** The path after the token, without a slash at its start. */
  readonly path: string;
}

/** The status and the text of the response to a request that the server refuses. */
export interface Refusal {
  readonly status: 403 | 404;
  readonly message: string;
}

/**
 * Returns the path of a request, or the reason to refuse it. A page of another origin could reach
 * this server with a form or with a host name that resolves to 127.0.0.1 (DNS rebinding), so
 * `Host`, `Origin` and the token must all match.
 */
export function admit(
  request: Pick<IncomingMessage, "url" | "headers">,
  door: Door,
): Admitted | Refusal {
  const { host, origin } = request.headers;
  // Browsers omit the default port.
  const names = ["127.0.0.1", "localhost"];
  const hosts = names.flatMap((name) => [
    `${name}:${door.port}`,
    ...(door.port === 80 ? [name] : []),
  ]);
  if (host === undefined || !hosts.includes(host))
    return { status: 403, message: "`Host` is not the address of the inspector" };
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, message: "`Origin` is not the origin of the inspector" };
  const site = request.headers["sec-fetch-site"];
  // A browser sends `none` if the user enters the URL. Another site can link to the page, but does
  // not know its token.
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return { status: 403, message: "The request comes from another site" };
  return pathAfter(request.url ?? "/", door.token);
}

function pathAfter(url: string, token: string): Admitted | Refusal {
  const [, firstSegment = "", path] = /^\/([^/?#]*)\/([^?#]*)/.exec(url) ?? [];
  if (path !== undefined && isEqual(firstSegment, token)) return { path };
  return { status: 404, message: "Not found. Open the URL that `a2a-codegen inspect` has printed" };
}

/** Compares in constant time, so that the response time does not reveal a part of the token. */
function isEqual(text: string, token: string): boolean {
  const textBytes = Buffer.from(text);
  const tokenBytes = Buffer.from(token);
  return textBytes.length === tokenBytes.length && timingSafeEqual(textBytes, tokenBytes);
}
