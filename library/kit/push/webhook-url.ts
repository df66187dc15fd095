import { isPublicHost } from "../../runtime/base/address.js";

/** Rules for the addresses that an agent posts to. */
export interface WebhookRules {
  /**
   * Whether a URL may point into the network of the agent, and may omit TLS; `false` by default.
   * Use `true` in tests, and for agents whose callers are all trusted.
   */
  readonly allowPrivateAddresses?: boolean | ((url: URL) => boolean);
  /**
   * Returns whether a URL that passes all other rules is allowed. By default, all such URLs are
   * allowed.
   */
  readonly allow?: (url: URL) => boolean;
}

/** Maximum length of the URL of a webhook. */
export const maxUrlLength = 2_048;

/** Maximum length of a name in the DNS. */
const maxHostLength = 253;

/** Returns whether a URL may point into the network of the agent. */
export function mayBePrivate(url: URL, { allowPrivateAddresses = false }: WebhookRules): boolean {
  return typeof allowPrivateAddresses === "boolean"
    ? allowPrivateAddresses
    : allowPrivateAddresses(url);
}

/**
 * Returns the reason why the agent may not post to a URL, or `undefined` if the URL itself is
 * allowed.
 * @throws Errors from the callbacks in `rules`.
 */
export function refusalOf(text: string, rules: WebhookRules): string | undefined {
  if (text.length > maxUrlLength) return `is longer than ${String(maxUrlLength)} characters`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "is not an HTTPS URL";
  if (url.username !== "" || url.password !== "") return "has a user name or a password";
  if (!mayBePrivate(url, rules)) {
    if (url.protocol === "http:") return "is not an HTTPS URL";
    if (!isPublicHost(url.hostname)) return "leads into a private network";
  }
  const { hostname } = url;
  if (hostname.length > maxHostLength || hostname.startsWith(".") || hostname.includes(".."))
    return "has an invalid host";
  return rules.allow?.(url) === false ? "is not allowed by the agent" : undefined;
}
