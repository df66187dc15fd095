import {
  send,
  type HttpOptions,
  type OutgoingRequest,
  type ReceivedResponse,
} from "../http/client.js";
import { admit, type AddressRule } from "./admission.js";
import { trustIn } from "./origins.js";

/** Maximum number of redirects when fetching a card. */
const maxRedirects = 5;

/** Options for {@link follow}. */
export interface RedirectOptions extends HttpOptions, Pick<AddressRule, "allowPrivateAddresses"> {
  /** The origins that may receive headers. Default: the origin of the URL. */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/**
 * Sends a request, follows its redirects, and returns the response with its URL. Headers of the
 * client, which may contain credentials, are only sent to `trustedOrigins`.
 */
export async function follow(
  url: string,
  request: OutgoingRequest,
  { trustedOrigins = [url], allowPrivateAddresses, ...options }: RedirectOptions,
): Promise<[received: ReceivedResponse, url: string]> {
  let current = new URL(url);
  let sent = request;
  // Other origins must not receive credentials.
  const bare = { ...request, headers: { accept: "application/json" }, via: undefined };
  // Each call already contains the headers of the options, unless an interceptor has removed them.
  const own = { ...options, headers: undefined };
  const rule = { allowPrivateAddresses, fetch: options.fetch };
  await admit(url, { ...rule, from: url });
  for (let redirects = 0; ; redirects += 1) {
    const received = await send(current.href, sent, own);
    const { response } = received;
    const location = redirectOf(response);
    // Browsers hide the target of a redirect. In browsers, the platform therefore follows the
    // redirect with its own rules.
    if (response.type === "opaqueredirect") {
      const followed = await send(url, { ...bare, redirect: "follow" }, own);
      // A custom `fetch` may return a response without a URL.
      const found = followed.response.url || url;
      await admit(found, { ...rule, from: url });
      return [followed, found];
    }
    const isTarget = location !== null && URL.canParse(location, current.href);
    if (!isTarget || redirects === maxRedirects) return [received, current.href];
    const next = new URL(location, current);
    // A redirect must not lead from HTTPS to HTTP.
    const isPlain = next.protocol === "http:" && current.protocol === "http:";
    if (next.protocol !== "https:" && !isPlain) return [received, current.href];
    await response.body?.cancel();
    await admit(next.href, { ...rule, from: current.href });
    if (!trustIn(trustedOrigins)(next.href)) sent = bare;
    current = next;
  }
}

function redirectOf({ status, headers }: Response): string | null {
  const isRedirect = status > 300 && status < 309 && status !== 304;
  return isRedirect ? headers.get("location") : null;
}
