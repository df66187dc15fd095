import { isObject } from "../base/json.js";
import type { HttpPart, HttpResponse } from "../http/server.js";
import type { Core } from "./core.js";

/** Pages of other origins that may call an agent, and what they may send. */
export interface CorsOptions {
  /** List of origins as browsers write them, such as `https://app.example`; any origin by default. */
  readonly origins?: readonly string[];
  /** Headers that pages may send besides `Authorization` and those of the protocol, such as `X-Api-Key`. */
  readonly headers?: readonly string[];
}

/**
 * Returns a part of a handler that pages of other origins may call: those of any origin for `true`, and those of none for
 * `false` or without options. A preflight request is answered for every path of the part, and is no call: no hook sees
 * it. Cookies are never allowed. Throws a `TypeError` for options of another type.
 */
export function withCors(part: HttpPart, core: Core, options: CorsOptions | boolean | undefined): HttpPart {
  if (options === undefined || options === false) return part;
  const { origins, headers = [] }: CorsOptions = options === true ? {} : checkedCors(options);
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

/** The form in which browsers write origins; that of a document without one is `null`. */
const originForm = /^(?:null|[a-z][a-z\d+.-]*:\/\/[^\s/*?#]+)$/;

/** Returns options as they are. Throws a `TypeError` for those that would admit other origins than they name, or none. */
function checkedCors(options: unknown): CorsOptions {
  if (!isObject<CorsOptions>(options))
    throw new TypeError(`cors is ${JSON.stringify(options)}: pass true, false, or an object with origins`);
  const { origins, headers } = options;
  for (const [name, value, example] of [
    ["origins", origins, "https://app.example"],
    ["headers", headers, "X-Api-Key"],
  ] as const)
    if (value !== undefined && !isListOfStrings(value))
      throw new TypeError(`cors.${name} is ${JSON.stringify(value)}: pass a list of strings, such as ["${example}"]`);
  const wrong = isListOfStrings(origins) ? origins.find((origin) => !originForm.test(origin)) : undefined;
  if (wrong !== undefined)
    throw new TypeError(
      `cors.origins has ${JSON.stringify(wrong)}, which no browser sends: write an origin without a path, such as "https://app.example", or pass cors: true for any origin`,
    );
  return options as CorsOptions;
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
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
