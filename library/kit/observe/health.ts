import { log } from "../../runtime/base/async.js";
import { fetchHandler } from "../../runtime/http/adapters/fetch.js";
import { type HttpHandler, type HttpResponse, splitTarget } from "../../runtime/http/server.js";

/** Options for {@link healthChecks}. */
export interface HealthOptions {
  /**
   * Path of the readiness check, which reports whether the process can handle calls; `/readyz` by
   * default.
   */
  readonly readyPath?: string;
  /**
   * Path of the liveness check, which reports whether the process responds at all; `/livez` by
   * default.
   */
  readonly livePath?: string;
  /**
   * Receives the reason when the service stops being ready; by default, it is written to
   * `console.error`.
   */
  readonly onUnready?: (reason: unknown) => void;
}

/** Handlers for the health checks of a process. */
export interface HealthChecks {
  /** Responds to a check; responds with 404 to any other request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Handler for `healthListener`; passes other requests to the next handler. */
  readonly handler: HttpHandler;
}

/**
 * Returns handlers for the readiness and the liveness check of a process. The readiness check
 * queries the store, and fails after `service.close()`. The liveness check does not query the
 * store: if the store is unavailable, a restart of the process would not help.
 *
 * @example
 * const checks = healthChecks(service);
 * createServer(healthListener(checks)).listen(8081);
 */
export function healthChecks(
  service: { readonly ready: () => Promise<void> },
  { readyPath = "/readyz", livePath = "/livez", onUnready = log }: HealthOptions = {},
): HealthChecks {
  let wasReady = true;
  const ready = async (): Promise<HttpResponse> => {
    try {
      await service.ready();
      wasReady = true;
      return response(200, "ready");
    } catch (reason) {
      // Probes arrive every few seconds, so an outage is only reported once.
      if (wasReady) onUnready(reason);
      wasReady = false;
      return response(503, "not ready");
    }
  };
  const handler: HttpHandler = async ({ method, url }) => {
    const { path } = splitTarget(url);
    if (path !== readyPath && path !== livePath) return undefined;
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, headers: { allow: "GET, HEAD" }, body: "" };
    return path === readyPath ? ready() : response(200, "alive");
  };
  return { fetch: fetchHandler(handler), handler };
}

function response(status: number, text: string): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/plain", "cache-control": "no-store" },
    body: `${text}\n`,
  };
}
