// This module must not import modules that clients always load, because bundlers would move them to
// additional files.
import { isAddress, isPublicAddress, isPublicHost } from "../base/address.js";

/** Rule for the hosts that a client may call. */
export interface HostRule {
  /** URL of the card or the redirect that names the host; `undefined` if it is unknown. */
  readonly from: URL | undefined;
  /**
   * Whether private hosts may be called. By default, they may only be called if the host of `from`
   * is private.
   */
  readonly allowPrivateAddresses: boolean | ((url: URL) => boolean) | undefined;
  /** Whether to look up names. */
  readonly looksUp: boolean;
}

/**
 * Returns whether a client may call a URL. If Node's modules are available, the host name must not
 * resolve to a private address either. The connection repeats the look-up, and may get a different
 * result.
 */
export async function isAllowed(
  url: URL,
  { from, allowPrivateAddresses, looksUp }: HostRule,
): Promise<boolean> {
  // By default, a private host may name other private hosts.
  const source = allowPrivateAddresses === undefined ? from : undefined;
  if (source !== undefined && !isPublicHost(source.hostname)) return true;
  const isListed = (candidate: URL): boolean =>
    typeof allowPrivateAddresses === "function" && allowPrivateAddresses(candidate);
  // Only addresses of custom bindings do not contain a host.
  if (url.hostname === "" || isListed(url)) return true;
  if (!isPublicHost(url.hostname)) return false;
  if (!looksUp || isAddress(url.hostname)) return true;
  const isAddressAllowed = (address: string): boolean =>
    isPublicAddress(address) || isListed(withAddress(url, address));
  if ((await addressesOf(url.hostname)).every(isAddressAllowed)) return true;
  // The host of the card may also be private although its name looks public. It only counts as
  // private if none of its addresses is public, because an attacker could publish a private address
  // in addition to the public address of a server.
  if (source === undefined) return false;
  const sourceAddresses = await addressesOf(source.hostname);
  return sourceAddresses.length > 0 && !sourceAddresses.some(isPublicAddress);
}

/** Returns a URL with an address in place of its name. */
function withAddress(url: URL, address: string): URL {
  const literal = new URL(url);
  literal.hostname = address.includes(":") ? `[${address}]` : address;
  return literal;
}

/** The members of `node:dns` that the check uses. */
interface NodeDns {
  readonly promises: {
    lookup(
      name: string,
      options: { readonly all: true },
    ): Promise<readonly { readonly address: string }[]>;
  };
}

/** Returns the addresses of a name, or an empty list if the platform cannot find them. */
async function addressesOf(name: string): Promise<readonly string[]> {
  // Do not use `import`, so that bundlers for other platforms accept the code.
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (module: string) => unknown };
  };
  try {
    const dns = process?.getBuiltinModule?.("node:dns") as NodeDns | undefined;
    const found = await dns?.promises.lookup(name, { all: true });
    return found?.map(({ address }) => address) ?? [];
  } catch {
    // The connection will fail for the same reason, with a better error.
    return [];
  }
}
