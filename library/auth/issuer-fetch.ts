import { isPublicHost } from "../runtime/base/address.js";
import type { Bytes } from "../kit/signatures/jws.js";

/** The platform's `fetch`, or a compatible function. */
export type IssuerFetch = (url: string, init: RequestInit) => Promise<Response>;

/** The `fetch` function and the time-out for a request to an issuer. */
export interface IssuerLimits {
  readonly fetch: IssuerFetch | undefined;
  /** Time-out for a request and its response, including the body, in milliseconds. */
  readonly timeoutMs: number;
}

/** Maximum size of an issuer's response, in bytes. A large issuer's key set is about 20 KB. */
const maxBytes = 2 ** 19;

/**
 * Thrown if an issuer does not respond, or if its response is unusable. The error message is
 * intended for operators.
 */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
}

/**
 * Sends a request to an issuer, and returns the response with its body already read. Throws an
 * {@link IssuerError} if no response arrives in time, or if the response is too large or is a
 * redirect. Redirects are not followed, because a redirect could send credentials to another server
 * or make the agent send requests into its own network.
 */
export async function fetchFromIssuer(
  url: string,
  init: RequestInit,
  limits: IssuerLimits,
): Promise<Response> {
  const { fetch: send = fetch, timeoutMs } = limits;
  const time = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, time]) : time;
  try {
    const response = await within(send(url, { ...init, redirect: "manual", signal }), signal);
    const { status, headers } = response;
    // Browsers return an `opaqueredirect` response without a status code for each redirect.
    if ((status >= 300 && status < 400) || response.type === "opaqueredirect") {
      await response.body?.cancel();
      throw new IssuerError(
        `${url} responded with a redirect, which is not followed: configure the URL to which it ` +
          "redirects",
      );
    }
    const bytes = await within(readBytes(response, url), signal);
    // `content-encoding` and `content-length` describe the encoded body, but `fetch` has already
    // decoded the body.
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
 * Returns `url` if it is secure. Throws a `TypeError` if the URL contains a user name or a
 * password, or if its scheme is not HTTPS. HTTP is allowed on the loopback interface, because no
 * other machine can read its traffic. `name` is the name of the URL in the error message.
 */
export function secureUrl(url: string, name: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isSecure =
    parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback(parsed));
  if (!isSecure || parsed.username !== "" || parsed.password !== "")
    throw new TypeError(
      `${name} must be a URL that begins with https://, got ${JSON.stringify(url)}`,
    );
  return url;
}

/**
 * Returns whether the host of a URL is a loopback address or `localhost`. Other host names may
 * resolve to any address.
 */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Returns whether a URL is in a private network or on this machine, although its issuer is not.
 * Such a URL could make this process call services that the issuer cannot reach itself.
 */
export function isForeignPrivate(url: string, issuer: string): boolean {
  const [target, source] = [new URL(url), new URL(issuer)];
  if (isPublicHost(target.hostname) || target.host === source.host) return false;
  return isPublicHost(source.hostname) || (isLoopback(target) && !isLoopback(source));
}

/**
 * Returns the two URLs at which an issuer may publish its metadata: the URL that OpenID Connect
 * Discovery defines, and the URL that RFC 8414 defines.
 */
export function metadataUrls(issuer: string): [string, string] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/**
 * Returns the URL of a protected resource's metadata (RFC 9728); `undefined` if `resource` is not a
 * URL.
 */
export function resourceMetadataUrl(resource: string): string | undefined {
  if (!URL.canParse(resource)) return undefined;
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
}

/**
 * Settles like `promise`, but rejects as soon as the signal aborts, because an application's own
 * `fetch` may ignore the signal.
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

/** Returns the reason for a failed `fetch`. Node stores this reason in the error's `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause instanceof Error && error.cause.message) || error.message;
}
