import { isAddress, isPublicAddress } from "./address.js";

/** Which addresses an agent posts to. */
export interface WebhookRules {
  /**
   * Whether a URL may lead into the network of the agent, also without TLS; none may by default. `true` is for tests and
   * for agents whose callers are all trusted.
   */
  readonly allowPrivate?: boolean | ((url: URL) => boolean);
  /** Decides which of the other URLs may be called; all by default. */
  readonly allow?: (url: URL) => boolean;
}

const maxLength = 2_048;

/** Longest name that name servers know. */
const maxHostLength = 253;

/** Names that are known inside of a network only. */
const internalNames = /^(?:[^.]*|.*\.(?:localhost|local|internal|lan|home\.arpa))\.*$/;

/** Returns whether a URL may lead into the network of the agent. */
export function mayBePrivate(url: URL, { allowPrivate = false }: WebhookRules): boolean {
  return typeof allowPrivate === "boolean" ? allowPrivate : allowPrivate(url);
}

/**
 * Says why the agent may not post to a URL, as far as the URL itself shows it; `undefined` where it may. Throws what the
 * functions of the rules throw.
 */
export function refusalOf(text: string, rules: WebhookRules): string | undefined {
  if (text.length > maxLength) return `is longer than ${String(maxLength)} characters`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "is no URL of HTTPS";
  if (url.username !== "" || url.password !== "") return "has a user name or a password, which belong elsewhere";
  if (!mayBePrivate(url, rules)) {
    if (url.protocol === "http:") return "is no URL of HTTPS";
    if (!isPublicHost(url.hostname)) return "leads into a private network";
  }
  const { hostname } = url;
  if (hostname.length > maxHostLength || hostname.startsWith(".") || hostname.includes(".."))
    return "has a host that cannot exist";
  return rules.allow?.(url) === false ? "is none that the agent may call" : undefined;
}

/** Whether a host is not known to be inside of a network: what a name leads to shows only when it is looked up. */
function isPublicHost(host: string): boolean {
  return isAddress(host) ? isPublicAddress(host) : !internalNames.test(host);
}
