import { isObject } from "../base/json.js";
import type { HttpPart, HttpResponse } from "../http/server.js";
import type { Core } from "./core.js";

/** Options for calls from pages of other origins. */
export interface CorsOptions {
  /**
   * List of origins as browsers send them, such as `https://app.example`; any origin by default.
   */
  readonly origins?: readonly string[];
  /**
   * Headers that pages may send in addition to `Authorization` and the headers of the protocol,
   * such as `X-Api-Key`.
   */
  readonly headers?: readonly string[];
}

/**
 * Returns a part of a handler that supports CORS. With `true`, pages from any origin may call the
 * part. With `false` or without options, no page from another origin may call it. Preflight
 * requests for any path of the part are answered without calling a hook. Cookies are never allowed.
 * Throws a `TypeError` for invalid options.
 */
export function withCors(
  part: HttpPart,
  core: Core,
  options: CorsOptions | boolean | undefined,
): HttpPart {
  if (options === undefined || options === false) return part;
  const { origins, headers = [] }: CorsOptions = options === true ? {} : checkedCors(options);
  const { headers: names } = core.protocol;
  const extensions = [
    ...new Set(core.versions.flatMap(({ protocol }) => protocol.headers?.extensions ?? [])),
  ];
  const preflight = {
    "access-control-allow-methods": [...methodsOf(core)].join(", "),
    "access-control-allow-headers": [
      "Authorization",
      "Cache-Control",
      "Content-Type",
      "If-None-Match",
      ...(names === undefined ? [] : [names.version]),
      ...extensions,
      ...headers,
    ]
      .filter((name, index, all) => all.indexOf(name) === index)
      .join(", "),
    "access-control-max-age": "7200",
  };
  const exposed = {
    "access-control-expose-headers": [
      ...extensions,
      "ETag",
      "Retry-After",
      "WWW-Authenticate",
    ].join(", "),
  };
  return (request, isProbe) => {
    const granted = grantTo(request.headers.get("origin"), origins);
    const requestedMethod = request.headers.get("access-control-request-method");
    const isPreflight = request.method === "OPTIONS" && requestedMethod !== undefined;
    if (isPreflight) {
      // A preflight must not run the call. A probe only finds out whether this part serves the path.
      return part(request, true)?.then(() => ({
        status: 204,
        headers: { ...preflight, ...granted },
      }));
    }
    return part(request, isProbe)?.then((response) =>
      withHeaders(response, { ...exposed, ...granted }),
    );
  };
}

/** Form in which browsers send origins. If a document has no origin, browsers send `null`. */
const originForm = /^(?:null|[a-z][a-z\d+.-]*:\/\/[^\s/*?#]+)$/;

/**
 * Returns valid options. Throws a `TypeError` for invalid options, which could admit unintended
 * origins.
 */
function checkedCors(options: unknown): CorsOptions {
  if (!isObject<CorsOptions>(options))
    throw new TypeError(
      `cors must be true, false, or an object with origins, got ${JSON.stringify(options)}`,
    );
  const { origins, headers } = options;
  for (const [name, value, example] of [
    ["origins", origins, "https://app.example"],
    ["headers", headers, "X-Api-Key"],
  ] as const)
    if (value !== undefined && !isListOfStrings(value))
      throw new TypeError(
        `cors.${name} must be a list of strings, such as ["${example}"], got ` +
          JSON.stringify(value),
      );
  const wrong = isListOfStrings(origins)
    ? origins.find((origin) => !originForm.test(origin))
    : undefined;
  if (wrong !== undefined)
    throw new TypeError(
      `cors.origins contains ${JSON.stringify(wrong)}, which is not an origin: write it without ` +
        'a path, such as "https://app.example", or pass cors: true for any origin',
    );
  return options as CorsOptions;
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/**
 * Returns the HTTP methods that an agent supports for its routes, for JSON-RPC and for the card.
 */
function methodsOf({ versions }: Core): Set<string> {
  const routes = versions.flatMap(({ operations }) => operations.flatMap(({ http = [] }) => http));
  return new Set(["GET", "HEAD", "POST", ...routes.map(({ method }) => method)]);
}

/**
 * Returns the header with the origin that may read a response. If only some origins are allowed,
 * also returns `Vary`, so that caches keep separate responses for each origin.
 */
function grantTo(
  origin: string | undefined,
  origins: readonly string[] | undefined,
): Record<string, string> {
  if (origins === undefined) return { "access-control-allow-origin": "*" };
  const isAllowed = origin !== undefined && origins.includes(origin);
  return { ...(isAllowed && { "access-control-allow-origin": origin }), vary: "Origin" };
}

function withHeaders(response: HttpResponse, more: Record<string, string>): HttpResponse {
  const vary = [response.headers, more]
    .flatMap((headers) => ("vary" in headers ? [headers["vary"]] : []))
    .join(", ");
  return { ...response, headers: { ...response.headers, ...more, ...(vary !== "" && { vary }) } };
}
