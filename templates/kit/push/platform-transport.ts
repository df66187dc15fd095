import type { Fetch } from "../../runtime/http/client.js";
import { platformModules } from "./node-modules.js";
import { nodeTransport } from "./node-transport.js";
import type { PushTransport } from "./push-transport.js";

/**
 * Returns the transport of the platform. Where there are the modules of Node it connects to no private address, whatever
 * a name leads to; elsewhere it is `fetch`, which says nothing of addresses. Throws an `Error` for a Node too old.
 */
export function platformTransport(maxLookups?: number): PushTransport {
  const modules = platformModules();
  return modules === undefined ? fetchTransport() : nodeTransport(modules, maxLookups);
}

/** Returns a transport that posts with `fetch`, and so to whatever address a name leads to. */
export function fetchTransport(send: Fetch = (url, init) => fetch(url, init)): PushTransport {
  return {
    async post({ url, headers, body, signal }) {
      const response = await send(url.href, { method: "POST", headers, body, signal, redirect: "manual" });
      // Nobody waits for the end of a body that may have none.
      response.body?.cancel().catch(() => undefined);
      return { status: response.status, retryAfter: response.headers.get("retry-after") ?? undefined };
    },
  };
}
