import { isObject } from "../../runtime/base/json.js";
import { send } from "../../runtime/http/client.js";
import type { Fetch } from "../../runtime/http/client.js";
import type { JsonKey } from "./jws.js";
import type { FindKey } from "./verify.js";

/** Options for {@link keySet}: the trusted keys. */
export interface KeySetOptions {
  /** Known public keys, as JSON Web Keys with a `kid`. */
  readonly keys?: readonly JsonKey[];
  /**
   * HTTPS URLs of sets of public keys. If a signature has a `jku`, its key is only fetched if the
   * `jku` is one of these URLs.
   */
  readonly urls?: readonly string[];
  /**
   * Time to cache a set, in milliseconds; five minutes by default. A removed key is no longer
   * trusted after this time.
   */
  readonly maxAgeMs?: number;
  /** Fetches a set. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch;
}

/** A fetched set, and the time of the request. */
interface FetchedSet {
  readonly keys: Promise<readonly JsonKey[]>;
  readonly at: number;
}

/**
 * Minimum time in milliseconds between two requests for a set, if a key is missing from the set.
 */
const refetchAfterMs = 10_000;

/**
 * Returns a function that finds the key for a signature, first among the known keys and then in the
 * fetched sets.
 * @throws A `TypeError` if a URL is not an HTTPS URL.
 */
export function keySet({
  keys = [],
  urls = [],
  maxAgeMs = 300_000,
  fetch,
}: KeySetOptions): FindKey {
  const invalidUrl = urls.find((url) => !URL.canParse(url) || new URL(url).protocol !== "https:");
  if (invalidUrl !== undefined)
    throw new TypeError(`\`urls\` of keySet must contain only HTTPS URLs, got ${invalidUrl}`);
  const sets = new Map<string, FetchedSet>();
  const keysAt = (url: string, maxAge: number): Promise<readonly JsonKey[]> => {
    const known = sets.get(url);
    if (known !== undefined && Date.now() - known.at < maxAge) return known.keys;
    const found = { keys: fetchKeys(url, fetch), at: Date.now() };
    sets.set(url, found);
    // Do not cache a failed request, so that the next call sends a new request.
    found.keys.catch(() => sets.get(url) === found && sets.delete(url));
    return found.keys;
  };
  return async ({ kid, jku }) => {
    const isRequested = (key: JsonKey): boolean => key.kid === kid && (key.use ?? "sig") === "sig";
    const own = keys.find(isRequested);
    if (own !== undefined) return own;
    const trustedUrls = jku === undefined ? urls : urls.filter((url) => url === jku);
    for (const url of trustedUrls) {
      // A key that is missing from the cached set may be new, so fetch the set again.
      // `refetchAfterMs` limits the number of requests that cards with invented key ids can cause.
      const found =
        (await keysAt(url, maxAgeMs)).find(isRequested) ??
        (await keysAt(url, refetchAfterMs)).find(isRequested);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

async function fetchKeys(url: string, fetch: Fetch | undefined): Promise<readonly JsonKey[]> {
  const signal = AbortSignal.timeout(10_000);
  const request = { method: "GET", headers: { accept: "application/json" }, signal };
  const answer = await send(url, request, { fetch, maxResponseBytes: 2 ** 20 });
  const body = answer.response.ok ? await answer.json() : undefined;
  const found = isObject(body) ? body["keys"] : undefined;
  if (!Array.isArray(found)) throw answer.unexpected("something other than a JSON Web Key Set");
  return found.filter((key): key is JsonKey => isObject(key) && typeof key["kty"] === "string");
}
