import type { Fetch } from "../../runtime/http/client.js";
import { platformModules } from "./node-modules.js";
import { nodeTransport } from "./node-transport.js";
import type { PushTransport } from "./push-transport.js";

/**
 * Returns the transport for the platform. If Node's modules are available, the transport never
 * connects to a private address, even if a name resolves to a private address. On other platforms,
 * it uses `fetch`, which cannot check addresses.
 * @throws An `Error` if Node is too old.
 */
export function platformTransport(maxLookups?: number): PushTransport {
  const modules = platformModules();
  return modules === undefined ? fetchTransport() : nodeTransport(modules, maxLookups);
}

/** Returns a transport that posts with `fetch`, without checking the address of a name. */
export function fetchTransport(send: Fetch = (url, init) => fetch(url, init)): PushTransport {
  return {
    async post({ url, headers, body, signal }) {
      const response = await send(url.href, {
        method: "POST",
        headers,
        body,
        signal,
        redirect: "manual",
      });
      // Do not wait for the cancellation, because the body may be endless and its content is not
      // used.
      response.body?.cancel().catch(() => undefined);
      return {
        status: response.status,
        retryAfter: response.headers.get("retry-after") ?? undefined,
      };
    },
  };
}
