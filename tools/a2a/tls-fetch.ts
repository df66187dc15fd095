import { request } from "node:https";
import type { Trust } from "a2a-codegen-runtime/internal/client";
import { requestOptions, responseTo } from "../../library/runtime/http/adapters/node-fetch.js";
import type { Fetch } from "../agents/index.js";
import { tlsFor, type Tls } from "./tls.js";

/**
 * Returns a `fetch` with other TLS options, which the `fetch` of Node does not support. It does not
 * follow redirects, which no caller in this tool leaves to `fetch`.
 */
export function tlsFetch(
  tls: Tls,
  isTrusted: Trust,
  plain: Fetch = (url, init) => globalThis.fetch(url, init),
): Fetch {
  return async (url, init) => {
    if (!/^https:/i.test(url)) return plain(url, init);
    // A connection that is kept alive would keep the process alive, too.
    const options = { ...requestOptions(init), ...tlsFor(tls, isTrusted(url)), agent: false };
    return responseTo(request(url, options), init);
  };
}
