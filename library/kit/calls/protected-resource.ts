import { fetchHandler } from "../../runtime/http/adapters/fetch.js";
import { type HttpHandler, splitTarget } from "../../runtime/http/server.js";

/** Metadata of an agent as a protected resource (RFC 9728). */
export interface ProtectedResourceOptions {
  /** URL of the agent, which tokens contain as their audience. */
  readonly resource: string;
  /** Issuers whose tokens the agent accepts. */
  readonly issuers: readonly string[];
  /** Scopes that clients may request. */
  readonly scopes?: readonly string[];
  /** Name of the agent, shown to users who sign in. */
  readonly name?: string;
}

/** Handlers that serve the metadata of a protected resource. */
export interface ProtectedResource {
  /** URL of the metadata, for the option `resourceMetadata` of `authenticateBy`. */
  readonly url: string;
  /** Responds to a request for the metadata; responds with 404 to any other request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Handler for `resourceListener`; passes other requests to the next handler. */
  readonly handler: HttpHandler;
}

/**
 * Returns handlers that serve the metadata of RFC 9728, which clients use to find the issuer after
 * a rejected call.
 *
 * @throws {TypeError} if `resource` or an issuer is not a URL
 *
 * @example
 * const resource = protectedResource({ resource: "https://agent.example", issuers:
 * ["https://login.example"] }); const access = authenticateBy(card, { login }, { resourceMetadata:
 * resource.url });
 */
export function protectedResource({
  resource,
  issuers,
  scopes,
  name,
}: ProtectedResourceOptions): ProtectedResource {
  for (const url of [resource, ...issuers])
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new TypeError(
        `${JSON.stringify(url)} must be an HTTP URL, such as https://agent.example`,
      );
  const { origin, pathname } = new URL(resource);
  const path = `/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
  const body = JSON.stringify({
    resource,
    authorization_servers: issuers,
    ...(scopes !== undefined && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    ...(name !== undefined && { resource_name: name }),
  });
  // The metadata is public, so pages of any origin may read it.
  const headers = { "cache-control": "max-age=300", "access-control-allow-origin": "*" };
  const handler: HttpHandler = ({ method, url }) => {
    if (splitTarget(url).path !== path) return Promise.resolve(undefined);
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead) return Promise.resolve({ status: 405, headers: { allow: "GET, HEAD" }, body: "" });
    return Promise.resolve({
      status: 200,
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
  };
  return { url: `${origin}${path}`, fetch: fetchHandler(handler), handler };
}
