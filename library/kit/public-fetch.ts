import { lookup } from "node:dns";
import { Agent as HttpAgent, request as requestHttp, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isAddress, isPublicAddress } from "../runtime/base/address.js";
import { requestOptions, responseTo } from "../runtime/http/adapters/node-fetch.js";
import type { Fetch } from "../runtime/http/client.js";
import { PrivateAddressError } from "./push/push-transport.js";

/** Options for {@link publicFetch}. */
export interface PublicFetchOptions {
  /**
   * Which private addresses may be called: all, none, or the addresses for which a function returns
   * `true`. The function is called with the origin of a request. If it returns `false`, it is
   * called again with each resolved private address in place of the name. Default: none.
   */
  readonly allowPrivateAddresses?: boolean | ((origin: URL) => boolean);
}

type Lookup = NonNullable<RequestOptions["lookup"]>;

/**
 * Returns a function for the option `fetch` of `connect` that never connects to a private address.
 * A name is resolved once, and the connection uses the checked addresses, so that a name server
 * cannot return a different address after the check (DNS rebinding). The function does not follow
 * redirects, and does not use proxies.
 *
 * @example
 * const client = await connect(url, { fetch: publicFetch() });
 */
export function publicFetch({ allowPrivateAddresses = false }: PublicFetchOptions = {}): Fetch {
  const [http, https] = [new HttpAgent({ keepAlive: true }), new HttpsAgent({ keepAlive: true })];
  const isAllowed = (origin: URL): boolean =>
    typeof allowPrivateAddresses === "function"
      ? allowPrivateAddresses(origin)
      : allowPrivateAddresses;
  return async (text, init) => {
    const url = new URL(text);
    const { origin, hostname, protocol } = url;
    const mayCall = (address: string): boolean =>
      isPublicAddress(address) || isAllowed(withHost(origin, address));
    // Connections do not look up a literal address, so check it here.
    if (isAddress(hostname) && !mayCall(hostname)) throw new PrivateAddressError(hostname);
    const isSecure = protocol === "https:";
    // The HTTP agent only reuses a connection for requests to the same origin, for which the check
    // would have the same result.
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      ...requestOptions(init),
      agent: isSecure ? https : http,
      lookup: isAllowed(new URL(origin)) ? lookup : checkedLookup(mayCall),
    });
    return responseTo(request, init);
  };
}

function withHost(origin: string, address: string): URL {
  const url = new URL(origin);
  url.hostname = address.includes(":") ? `[${address.replace(/^\[|\]$/g, "")}]` : address;
  return url;
}

/** Returns a look-up function that fails if a name has an address that the client must not call. */
function checkedLookup(mayCall: (address: string) => boolean): Lookup {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, "");
        return;
      }
      const first = addresses.at(0);
      if (first === undefined || !addresses.every(({ address }) => mayCall(address)))
        callback(new PrivateAddressError(name), "");
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
