import {
  errorHeaders,
  probed,
  splitTarget,
  type HttpPart,
  type HttpRequest,
  type HttpResponse,
} from "../http/server.js";
import { A2AError } from "../protocol/error.js";
import type { Core } from "./core.js";
import type { CardForm } from "./versions.js";

/** Options for serving the agent card. */
export interface CardOptions {
  /** The path of the card; by default the well-known path of the protocol. */
  readonly path?: string;
  /** How long caches may keep the card, in seconds; 300 by default. */
  readonly cardMaxAge?: number;
  /** Additional headers for the response with the card, such as `Last-Modified`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Form of the card for callers that do not specify a version, if the agent serves several
   * versions; `merged` by default.
   */
  readonly form?: CardForm;
}

/**
 * Serves the agent card, with an `ETag` that changes with its content. Ignores requests for other
 * paths.
 */
export function cardHandler(core: Core, options: CardOptions = {}): HttpPart {
  const others = core.versions.flatMap(({ adapter }) => adapter?.cardPath ?? []);
  // Callers of other versions may request the card at other paths.
  const paths = new Set([options.path ?? core.discovery.path, ...others]);
  const maxAge = `max-age=${String(options.cardMaxAge ?? 300)}`;
  // A shared cache must not return the card of one caller to another caller.
  const fixed: Readonly<Record<string, string>> = {
    "cache-control": core.hasCardPerCaller ? `private, ${maxAge}` : maxAge,
    vary: core.hasCardPerCaller ? "*" : (core.protocol.headers?.version ?? ""),
    ...lowerCase(options.headers),
  };
  const tagOf = rememberLast(tag);
  const respond = async ({ method, headers }: HttpRequest): Promise<HttpResponse> => {
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, headers: { allow: "GET, HEAD" }, body: "" };
    const card = await core.card({ headers }, options.form);
    if (card instanceof A2AError) return errorResponse(card, core);
    const body = JSON.stringify(card);
    const etag = await tagOf(body);
    if (matches(headers.get("if-none-match"), etag))
      return { status: 304, headers: { ...fixed, etag } };
    return { status: 200, headers: { ...fixed, etag, "content-type": "application/json" }, body };
  };
  return (request, isProbe) => {
    if (!paths.has(splitTarget(request.url).path)) return undefined;
    return isProbe === true ? probed() : respond(request);
  };
}

function errorResponse(error: A2AError, { challenge }: Core): HttpResponse {
  const { httpStatus: status, message: body } = error;
  return {
    status,
    headers: { "content-type": "text/plain", ...errorHeaders(status, challenge, error) },
    body,
  };
}

function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Returns a strong entity tag for the content. */
async function tag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const digits = Array.from(new Uint8Array(digest, 0, 16), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return `"${digits.join("")}"`;
}

/** Returns whether an `If-None-Match` header matches the tag. */
function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.split(",").some((part) => {
    const tag = part.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}

function rememberLast(
  compute: (text: string) => Promise<string>,
): (text: string) => Promise<string> {
  let last: { readonly text: string; readonly result: Promise<string> } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
