import { originOf } from "a2a-codegen/runtime/client/origins";
import { redacted, toCurl, type Exchange, type Fetch } from "../core/index.js";

/** Returns a `fetch` whose responses fail after a number of bytes, even if each event of a stream is small. */
export function limited(maxBytes: number, fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, statusText, headers, body } = response;
    if (body === null) return response;
    let bytes = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        // The words of the runtime's own limit, so that both have the same hint.
        if (bytes > maxBytes) controller.error(new Error(`more bytes than maxResponseBytes, ${maxBytes}`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(counter), { status, statusText, headers });
  };
}

/** Returns a `fetch` that adds parameters to the query of requests to some origins. */
export function withQuery(query: Readonly<Record<string, string>>, origins: readonly string[], fetch: Fetch): Fetch {
  if (Object.keys(query).length === 0) return fetch;
  const trusted = new Set(origins.map(originOf));
  return (url, init) => {
    const target = new URL(url);
    if (!trusted.has(target.origin)) return fetch(url, init);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    return fetch(target.href, init);
  };
}

/** Returns the lines that describe a change of an exchange; nothing for a change that is not worth a line. */
export function debugLines(exchange: Exchange, secrets: readonly string[]): string[] {
  const { id, request, response, error, durationMs } = exchange;
  const { method, url } = redacted(request, { secrets });
  const events = response?.events;
  if (durationMs !== undefined) {
    const size = `${(response?.bytes ?? 0).toLocaleString("en")} bytes`;
    const end = error === undefined ? `${size}${events === undefined ? "" : `, ${events.length} events`}` : error;
    const body = events === undefined && response?.body ? [`[${id}] ← ${response.body}`] : [];
    return [...body, `[${id}] ← end after ${Math.round(durationMs)} ms: ${end}`];
  }
  if (response === undefined) return [`[${id}] → ${method} ${url}`, ...toCurl(exchange, { secrets }).split("\n")];
  if (response.bytes === 0) return [`[${id}] ← ${response.status} after ${Math.round(response.headMs)} ms`];
  const last = events?.at(-1);
  return last === undefined ? [] : [`[${id}] ← event after ${Math.round(last.atMs)} ms: ${last.data}`];
}
