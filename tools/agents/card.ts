import type { AgentCard } from "../../generated/1.0/models.js";
import { protocol } from "../../generated/1.0/operations.js";
import { AgentCardSchema } from "../../generated/1.0/validators.js";
import {
  type Fetch,
  type ReceivedResponse,
  send,
  trustIn,
} from "a2a-codegen-runtime/internal/client";
import { TransportError, type AgentInterface } from "a2a-codegen-runtime/internal/core";
import { check } from "a2a-codegen-runtime/internal/schema";
import { isLoopback } from "./addresses.js";
import {
  adapters,
  cardPaths,
  interfacesOf,
  isSupported,
  minorOf,
  type ClientSettings,
} from "./clients.js";
import { isObject, textAt, type Finding } from "./findings.js";
import { isEarlier, lintCard } from "./lint.js";

/** Options for {@link readCard}. */
export interface ReadCardOptions extends Pick<ClientSettings, "transports"> {
  /** Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /**
   * Headers of the request, such as credentials. A redirect to another origin does not receive
   * them.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The version to request the card in; 1.0 by default. */
  readonly version?: string | undefined;
  /** Maximum size of the card in bytes; 4 MiB by default. */
  readonly maxBytes?: number | undefined;
}

/** An agent card with its URL, version, interfaces and findings. */
export interface CardReport {
  /** The URL of the card; `undefined` if the card is not from a URL. */
  readonly url: string | undefined;
  /** The card in its received form. */
  readonly raw: unknown;
  /** `Major.Minor` of the card's format, such as 0.3. */
  readonly version: string;
  /** The card in the 1.0 models; `undefined` if it has issues that prevent the conversion. */
  readonly card: AgentCard | undefined;
  /** All interfaces, in the order of the card. */
  readonly interfaces: readonly ListedInterface[];
  /** All mistakes in the card; the most important findings come first. */
  readonly findings: readonly Finding[];
}

/** An interface of a card. */
export interface ListedInterface extends AgentInterface {
  /** Whether a client can call the interface. */
  readonly isSupported: boolean;
}

/**
 * Fetches the card of an agent and checks it. An invalid card is returned with its findings.
 *
 * @param target - the URL of the card, the URL of an agent, or a host. Unless it ends in `.json`,
 *   the well-known paths of all versions below it are tried first
 * @throws {TransportError} if the card is missing or is not JSON
 */
export async function readCard(
  target: string | URL,
  options: ReadCardOptions = {},
): Promise<CardReport> {
  const urls = cardUrls(String(target));
  let missing: TransportError | undefined;
  for (const url of urls) {
    const { received, url: finalUrl } = await follow(url, options);
    const { status } = received.response;
    const found = await cardIn(received, finalUrl);
    const isError = found instanceof TransportError;
    // A server may respond to every path with JSON. So after a failure, only a document with
    // interfaces is a card.
    if (!isError && (missing === undefined || interfacesOf(found).length > 0))
      return reportOf(found, finalUrl, options);
    const error = isError ? found : missingAt(finalUrl, status);
    // The error of the first URL is the most useful, unless credentials would help at another URL.
    if (missing === undefined || (isRefused(status) && !isRefused(missing.status ?? 0)))
      missing = error;
    // A server that fails or limits requests should not receive further requests.
    if (status >= 500 || status === 429) break;
  }
  if (missing === undefined)
    throw new TransportError(`"${String(target)}" is not a URL`, { url: String(target) });
  if (urls.length > 1) missing.message += `; a card was expected at ${urls.join(", ")}`;
  throw missing;
}

/** Returns the JSON of a response, or the error for a response that is not an agent card. */
async function cardIn(received: ReceivedResponse, url: string): Promise<unknown> {
  const { ok, status, headers, body } = received.response;
  if (ok)
    return received
      .json()
      .catch((thrown: unknown) =>
        thrown instanceof TransportError ? thrown : Promise.reject(thrown as Error),
      );
  const isPlainText = /^text\/plain\b/i.test(headers.get("content-type") ?? "");
  if (!isPlainText) {
    await body?.cancel();
    return missingAt(url, status);
  }
  return missingAt(url, status, await received.text().catch(() => ""));
}

/** Maximum number of characters of a response in a message. */
const maxShown = 200;

/**
 * Returns the error for a response without a card. A short text of the server may say where its
 * agents are.
 */
function missingAt(url: string, status: number, text = ""): TransportError {
  const line = text.replace(/\s+/g, " ").trim();
  const shown = line === "" || line.length > maxShown ? "" : `: ${line}`;
  return new TransportError(
    `${url} responded with HTTP status ${String(status)} instead of an agent card${shown}`,
    {
      url,
      status,
    },
  );
}

function isRefused(status: number): boolean {
  return status === 401 || status === 403;
}

/** Returns the report about a card. `url` is the URL of the card, if it is known. */
export function reportOf(raw: unknown, url?: string, settings: ClientSettings = {}): CardReport {
  const listed = interfacesOf(raw, url).map((target) => ({
    ...target,
    isSupported: isSupported(target, settings),
  }));
  return {
    url,
    raw,
    version: versionOf(raw),
    card: convert(raw),
    interfaces: listed,
    findings: lintCard(raw, url),
  };
}

function versionOf(raw: unknown): string {
  const named = minorOf(textAt(raw, "protocolVersion") ?? "");
  if (!isEarlier(raw)) return protocol.version;
  return named === "" ? "0.3" : named;
}

/** Converts a card to the 1.0 models. */
function convert(raw: unknown): AgentCard | undefined {
  // Early cards have no version.
  const named =
    isObject(raw) && isEarlier(raw) ? { protocolVersion: `${versionOf(raw)}.0`, ...raw } : raw;
  const converted = isEarlier(raw)
    ? adapters.map((adapter) => adapter.readCard(named)).find(isObject)
    : raw;
  return check(AgentCardSchema, converted, "tolerant").value;
}

/**
 * Returns the URLs at which the card of a target may be. A host without a scheme is called with
 * HTTPS, and with HTTP on this machine.
 */
export function cardUrls(target: string): string[] {
  const text = target.trim();
  const [, host = ""] = /^(\[[^\]]*\]|[^:/?#]*)/.exec(text) ?? [];
  const scheme = isLoopback(host) ? "http" : "https";
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `${scheme}://${text}`;
  if (!URL.canParse(full) || !/^https?:/i.test(full)) return [];
  const url = new URL(full);
  url.hash = "";
  if (url.pathname.endsWith(".json")) return [url.href];
  const base = url.pathname.replace(/\/$/, "");
  // The root of an origin is not a card, but a longer URL may be one.
  const exact = base === "" && url.search === "" ? [] : [url.href];
  const below = cardPaths.map((path) => {
    url.pathname = base + path;
    return url.href;
  });
  return [...below, ...exact];
}

/** Maximum number of redirects. */
const maxRedirects = 5;

/**
 * Requests a card and follows redirects. Only the origin of the first URL receives the headers of
 * the options.
 */
async function follow(
  first: string,
  options: ReadCardOptions,
): Promise<{ readonly received: ReceivedResponse; readonly url: string }> {
  const { fetch, signal, version = protocol.version, maxBytes = 4 * 2 ** 20 } = options;
  const defaults = { accept: "application/json", [protocol.headers.version]: version };
  const isTrusted = trustIn([first]);
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const headers = isTrusted(url) ? { ...defaults, ...options.headers } : defaults;
    const received = await send(
      url,
      { method: "GET", headers, signal },
      { fetch, maxResponseBytes: maxBytes },
    );
    const next = redirectOf(received.response, url);
    if (next === undefined || redirects === maxRedirects) return { received, url };
    await received.response.body?.cancel();
    url = next;
  }
}

function redirectOf({ status, headers }: Response, url: string): string | undefined {
  const isRedirect = status > 300 && status < 309 && status !== 304;
  const location = isRedirect ? headers.get("location") : null;
  if (location === null || !URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  // A redirect must not move a card from HTTPS to HTTP, where an attacker could change it.
  return next.protocol === "https:" || (next.protocol === "http:" && url.startsWith("http:"))
    ? next.href
    : undefined;
}
