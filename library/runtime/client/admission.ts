import type { Fetch } from "../http/client.js";
import { TransportError } from "../protocol/transport.js";
import { originOf } from "./origins.js";

/** Rule for the addresses that a client may call. */
export interface AddressRule {
  /** URL of the card or of the redirect that contains the address; `undefined` if it is unknown. */
  readonly from: string | undefined;
  /**
   * Which private addresses may be called: all, none, or the addresses for which a function returns
   * `true`. By default, a server at a public address must not direct the client to private
   * addresses, because it could use the client to access the client's network.
   */
  readonly allowPrivateAddresses?: boolean | ((url: URL) => boolean) | undefined;
  /**
   * The application's `fetch`, if it passes one. This function looks up names itself, so the client
   * does not check the addresses of a name.
   */
  readonly fetch?: Fetch | undefined;
}

/** Rejects with a {@link TransportError} if a client must not call an address. */
export async function admit(address: string, rule: AddressRule, isGrpc = false): Promise<void> {
  const { allowPrivateAddresses, fetch } = rule;
  const url = urlOf(address, isGrpc);
  const from = urlOf(rule.from);
  const isAdmitted =
    allowPrivateAddresses ?? (from === undefined || from.hostname === url?.hostname);
  if (isAdmitted === true) return;
  // Few cards name other hosts. Import the check dynamically, so that bundlers put it into a
  // separate file, which is only loaded for such cards.
  const { isAllowed } = await import("./private-hosts.js");
  const looksUp = isGrpc || fetch === undefined;
  if (url && (await isAllowed(url, { from, allowPrivateAddresses, looksUp }))) return;
  const problem = url ? "leads into a private network" : "has no host that can be checked";
  const hint = "if that is intended, set the option allowPrivateAddresses";
  throw new TransportError(`${address} ${problem}: ${hint}`, { url: address, unsent: true });
}

/**
 * Returns the URL of an address, or `undefined` if a client could read a different host from the
 * address than this function.
 */
function urlOf(address = "", isGrpc = false): URL | undefined {
  const text = isGrpc ? originOf(address) : address;
  // gRPC defines additional schemes, such as `ipv4:` and `dns://server/`, and different rules for
  // backslashes.
  const isUnambiguous = !isGrpc || /^https?:\/\/[^\\\s]+$/.test(text);
  return isUnambiguous && URL.canParse(text) ? new URL(text) : undefined;
}
