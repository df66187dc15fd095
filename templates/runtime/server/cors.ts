import type { HttpPart, HttpResponse } from "../http/server.js";
import type { Core } from "./core.js";

/** Which pages of other origins may call an agent, and with what. */
export interface CorsOptions {
  /** The origins as browsers write them, such as `https://app.example`; any by default. */
  readonly origins?: readonly string[];
  /** Headers that pages may send besides `Authorization` and those of the protocol, such as `X-Api-Key`. */
  readonly headers?: readonly string[];
}

/**
 * Returns a part of a handler as pages of other origins may call it; `true` lets in all of them. A preflight request is
 * answered for every path of the part, and is no call: no hook sees it. Cookies are never allowed.
 */
export function withCors(part: HttpPart, core: Core, options: CorsOptions | true | undefined): HttpPart {
  if (options === undefined) return part;
  const { origins, headers = [] }: CorsOptions = options === true ? {} : options;
  const { version } = core.protocol.headers;
  const extensions = [...new Set(core.versions.map(({ protocol }) => protocol.headers.extensions))];
  const preflight = {
    "access-control-allow-methods": [...methodsOf(core)].join(", "),
    "access-control-allow-headers": [
      "Authorization",
      "Content-Type",
      "If-None-Match",
      version,
      ...extensions,
      ...headers,
    ]
      .filter((name, index, all) => all.indexOf(name) === index)
      .join(", "),
    "access-control-max-age": "7200",
  };
  const exposed = { "access-control-expose-headers": `${extensions.join(", ")}, ETag, WWW-Authenticate` };
  return (request, isProbe) => {
    const granted = grantTo(request.headers.get("origin"), origins);
    if (request.method === "OPTIONS" && request.headers.get("access-control-request-method") !== undefined) {
      return part(request, true)?.then(() => ({ status: 204, headers: { ...preflight, ...granted } }));
    }
    return part(request, isProbe)?.then((response) => withHeaders(response, { ...exposed, ...granted }));
  };
}

/** The HTTP methods of an agent: those of its routes, and those of JSON-RPC and of the card. */
function methodsOf({ versions }: Core): Set<string> {
  const routes = versions.flatMap(({ operations }) => operations.flatMap(({ http = [] }) => http));
  return new Set(["GET", "HEAD", "POST", ...routes.map(({ method }) => method)]);
}

/** Names the origin that may read a response; where not all may, caches have to tell origins apart. */
function grantTo(origin: string | undefined, origins: readonly string[] | undefined): Record<string, string> {
  if (origins === undefined) return { "access-control-allow-origin": "*" };
  const isAllowed = origin !== undefined && origins.includes(origin);
  return { ...(isAllowed && { "access-control-allow-origin": origin }), vary: "Origin" };
}

function withHeaders(response: HttpResponse, more: Record<string, string>): HttpResponse {
  const vary = [response.headers, more].flatMap((headers) => ("vary" in headers ? [headers["vary"]] : [])).join(", ");
  return { ...response, headers: { ...response.headers, ...more, ...(vary !== "" && { vary }) } };
}
