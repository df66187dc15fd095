import type { Bytes } from "../signatures/jws.js";

/** The `fetch` of the platform, or a function that does the same. */
export type IssuerFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Limits of a request to an issuer of tokens. */
export interface IssuerLimits {
  readonly fetch: IssuerFetch | undefined;
  /** Milliseconds after which a request fails, with its body. */
  readonly timeoutMs: number;
}

/** The largest response of an issuer, in bytes. Key sets of large issuers have some 20 KB. */
const maxBytes = 2 ** 19;

/** Thrown if an issuer of tokens does not respond, or responds with something unusable. Its message is for operators. */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
}

/**
 * Sends a request to an issuer of tokens, and returns its response with a body that has been read. Throws an
 * {@link IssuerError} if no response arrives in time, if it redirects, or if it is too large: redirects could lead
 * credentials to another server, or the agent into its own network.
 */
export async function fetchFromIssuer(url: string, init: RequestInit, limits: IssuerLimits): Promise<Response> {
  const { fetch: send = fetch, timeoutMs } = limits;
  const time = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, time]) : time;
  try {
    const response = await within(send(url, { ...init, redirect: "manual", signal }), signal);
    const { status, headers } = response;
    // Browsers hide redirects behind a response of this type, without a status.
    if ((status >= 300 && status < 400) || response.type === "opaqueredirect") {
      await response.body?.cancel();
      throw new IssuerError(`${url} redirects, which is not followed: configure the address that it leads to`);
    }
    const bytes = await within(readBytes(response, url), signal);
    // The length and the coding are those of the body that was sent.
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
 * Returns the text of an URL that may be asked for keys and tokens. Throws a `TypeError` unless it is over HTTPS, or of
 * the loopback interface, which has no network to read along.
 */
export function secureUrl(url: string, what: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isSecure = parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback(parsed));
  if (!isSecure || parsed.username !== "" || parsed.password !== "")
    throw new TypeError(`${what} is ${JSON.stringify(url)}: it must be a URL that begins with https://`);
  return url;
}

/** Returns whether a URL is of the loopback interface. Names other than `localhost` may resolve to any address. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Returns the addresses of an issuer's metadata: those of OpenID Connect Discovery and of RFC 8414. */
export function metadataUrls(issuer: string): [string, string] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** Rejects when the signal aborts: a `fetch` of the application need not know signals. */
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

/** Returns what a failed `fetch` says; Node hides it one level down. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause instanceof Error && error.cause.message) || error.message;
}
