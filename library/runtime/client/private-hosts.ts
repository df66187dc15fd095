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
  if (allowPrivateAddresses === undefined && from !== undefined && !isPublicHost(from.hostname))
    return true;
  const isListed = (one: URL): boolean =>
    typeof allowPrivateAddresses === "function" && allowPrivateAddresses(one);
  // Only addresses of custom bindings do not contain a host.
  if (url.hostname === "" || isListed(url)) return true;
  if (!isPublicHost(url.hostname)) return false;
  if (!looksUp || isAddress(url.hostname)) return true;
  const found = await addressesOf(url.hostname);
  if (found.every((address) => isPublicAddress(address) || isListed(withAddress(url, address))))
    return true;
  // The host of the card may also be private although its name looks public. It only counts as
  // private if none of its addresses is public, because an attacker could publish a private address
  // in addition to the public address of a server.
  const source =
    allowPrivateAddresses === undefined && from !== undefined
      ? await addressesOf(from.hostname)
      : [];
  return source.length > 0 && !source.some(isPublicAddress);
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
    return (await dns?.promises.lookup(name, { all: true }))?.map(({ address }) => address) ?? [];
  } catch {
    // The connection will fail for the same reason, with a better error.
    return [];
  }
}
