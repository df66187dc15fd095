import { errorOf } from "../http/client.js";
import type { ClientErrors } from "../protocol/error.js";
import { TransportError, type Call } from "../protocol/transport.js";
import type { CachedCard } from "./card-cache.js";
import { follow, type RedirectOptions } from "./redirects.js";

/** Options for {@link fetchCard}. */
interface FetchOptions extends RedirectOptions {
  readonly errors: ClientErrors;
}

/**
 * Returns the URLs at which the card of an agent may be: the well-known paths below the target, and
 * then the target itself, unless it is an origin.
 */
export function cardUrls(target: string | URL, paths: readonly string[]): readonly string[] {
  const text = String(target);
  if (!URL.canParse(text))
    throw new TransportError(`"${text}" is not a URL, such as https://agent.example.com`, {
      url: text,
    });
  const own = new URL(target);
  own.hash = "";
  if (own.pathname.endsWith(".json")) return [own.href];
  const below = paths.map((path) => {
    const url = new URL(own);
    url.pathname = own.pathname.replace(/\/$/, "") + path;
    return url.href;
  });
  const isOrigin = own.pathname === "/" && own.search === "";
  return [...new Set([...below, ...(isOrigin ? [] : [own.href])])];
}

/**
 * Fetches the card at a URL. If the agent has not changed the cached card, returns the cached card
 * with its new time.
 */
export async function fetchCard(
  url: string,
  cached: CachedCard | undefined,
  { headers: own, via, signal, checkText }: Call,
  options: FetchOptions,
): Promise<CachedCard> {
  const requestedAt = Date.now();
  // For a request with `if-none-match`, Node adds `cache-control: no-cache`, and many servers then
  // never send a 304.
  const headers = cached?.etag
    ? { "cache-control": "max-age=0", ...own, "if-none-match": cached.etag }
    : own;
  const [received, foundAt] = await follow(url, { method: "GET", headers, via, signal }, options);
  const { response } = received;
  const freshUntil = freshness(response.headers, requestedAt);
  if (response.status === 304 && cached !== undefined) return { ...cached, freshUntil };
  if (!response.ok) throw await errorOf(received, options.errors);
  const etag = response.headers.get("etag");
  return {
    body: await received.json(checkText),
    url: foundAt,
    etag,
    freshUntil,
    isChecked: checkText !== undefined,
  };
}

/**
 * Returns the time until which a card is fresh: 0 if it must be revalidated, -1 if it must not be
 * stored.
 */
function freshness(headers: Headers, now: number): number {
  const control = headers.get("cache-control") ?? "";
  if (/\bno-store\b/i.test(control)) return -1;
  const maxAge = /(?:^|[\s,])max-age="?(\d+)/i.exec(control)?.[1];
  if (maxAge === undefined || /\bno-cache\b/i.test(control)) return 0;
  const age = Number(headers.get("age")) || 0;
  return now + (Number(maxAge) - age) * 1000;
}
