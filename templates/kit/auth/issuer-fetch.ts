import type { Bytes } from "../signatures/jws.js";

/** The `fetch` of the platform, or a compatible function. */
export type IssuerFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Limits for a request to an issuer. */
export interface IssuerLimits {
  readonly fetch: IssuerFetch | undefined;
  /** Time-out for a request and its response, including the body, in milliseconds. */
  readonly timeoutMs: number;
}

/** Maximum size of an issuer's response, in bytes. The key set of a large issuer has about 20 KB. */
const maxBytes = 2 ** 19;

/** Thrown if an issuer does not respond, or if its response is unusable. The message is intended for operators. */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
}

/**
 * Sends a request to an issuer, and returns the response with its body already read. Throws an {@link IssuerError} if
 * no response arrives in time, or if the response is too large or is a redirect. A redirect could send credentials to
 * another server, or direct the agent into its own network.
 */
export async function fetchFromIssuer(url: string, init: RequestInit, limits: IssuerLimits): Promise<Response> {
  const { fetch: send = fetch, timeoutMs } = limits;
  const time = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, time]) : time;
  try {
    const response = await within(send(url, { ...init, redirect: "manual", signal }), signal);
    const { status, headers } = response;
    // For redirects, browsers return this type of response, without a status.
    if ((status >= 300 && status < 400) || response.type === "opaqueredirect") {
      await response.body?.cancel();
      throw new IssuerError(
        `${url} responded with a redirect, which is not followed: configure the URL to which it redirects`,
      );
    }
    const bytes = await within(readBytes(response, url), signal);
    // These headers describe the encoded body, but the body has been decoded.
    const rest = [...headers].filter(([name]) => !/^content-(?:encoding|length)$/i.test(name));
    return new Response(bytes.length === 0 ? null : bytes, { status, headers: rest });
  } catch (cause) {
    if (cause instanceof IssuerError) throw cause;
    init.signal?.throwIfAborted();
    const reason = time.aborted ? `no response within ${String(timeoutMs)} ms` : reasonOf(cause);
    throw new IssuerError(`${url} cannot be read: ${reason}`, { cause });
  }
}

/**
 * Returns `url`. Throws a `TypeError` unless the URL uses HTTPS, or HTTP on the loopback interface, whose traffic no
 * other machine can read, or if the URL contains a user name or a password. `what` is the name of the URL in the error
 * message.
 */
export function secureUrl(url: string, what: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isSecure = parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback(parsed));
  if (!isSecure || parsed.username !== "" || parsed.password !== "")
    throw new TypeError(`${what} must be a URL that begins with https://, got ${JSON.stringify(url)}`);
  return url;
}

/** Returns whether a URL has a loopback address, or the name `localhost`. Other names may resolve to any address. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Returns the two URLs at which an issuer may publish its metadata: the URL of OpenID Connect Discovery, and the URL of
 * RFC 8414.
 */
export function metadataUrls(issuer: string): [string, string] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** Returns the URL of the metadata of a protected resource (RFC 9728); `undefined` if the resource is not a URL. */
export function resourceMetadataUrl(resource: string): string | undefined {
  if (!URL.canParse(resource)) return undefined;
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
}

/**
 * Settles like `promise`, but rejects as soon as the signal aborts, because an application's `fetch` may ignore
 * signals.
 */
async function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let listener: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error("The request was aborted"));
    };
    signal.addEventListener("abort", listener, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (listener !== undefined) signal.removeEventListener("abort", listener);
  }
}

async function readBytes(response: Response, url: string): Promise<Bytes> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) break;
    size += chunk.value.length;
    if (size > maxBytes) {
      await reader?.cancel();
      throw new IssuerError(`${url} responded with more than ${String(maxBytes)} bytes`);
    }
    chunks.push(chunk.value);
  }
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}

/** Returns the reason why a `fetch` failed, which Node puts into the error's `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause instanceof Error && error.cause.message) || error.message;
}
