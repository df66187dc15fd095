import { originOf } from "a2a-codegen/runtime/client/origins";
import { redactedBody, toCurl, type Exchange, type Fetch } from "../core/index.js";

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

/** Describes the changes of exchanges, for --debug. */
export class DebugLog {
  readonly #secrets: readonly string[];
  /** The number of events that are described, by the id of the exchange. */
  readonly #described = new Map<number, number>();

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Returns the lines for a change; nothing for a change that is not worth a line. */
  linesOf(exchange: Exchange): string[] {
    const { id, response, durationMs } = exchange;
    const lines = response?.events === undefined ? this.#linesOfBody(exchange) : this.#linesOfEvents(exchange);
    if (durationMs === undefined) return lines;
    this.#described.delete(id);
    const size = `${(response?.bytes ?? 0).toLocaleString("en")} bytes`;
    return [...lines, `[${id}] ← end after ${Math.round(durationMs)} ms: ${exchange.error ?? size}`];
  }

  #linesOfBody(exchange: Exchange): string[] {
    const { id, response, durationMs } = exchange;
    const secrets = this.#secrets;
    if (durationMs !== undefined) {
      const body = response?.body ?? "";
      return body === "" ? [] : [`[${id}] ← ${redactedBody(body)}`];
    }
    if (response === undefined)
      return toCurl(exchange, { secrets })
        .split("\n")
        .map((line) => `[${id}] → ${line}`);
    return response.bytes > 0 ? [] : [`[${id}] ← ${response.status} after ${Math.round(response.headMs)} ms`];
  }

  #linesOfEvents({ id, response }: Exchange): string[] {
    const events = response?.events ?? [];
    const known = this.#described.get(id);
    this.#described.set(id, events.length);
    if (known === undefined) return [`[${id}] ← ${response?.status ?? ""} a stream of events`];
    return events.slice(known).map(({ atMs, data }) => `[${id}] ← ${Math.round(atMs)} ms: ${redactedBody(data)}`);
  }
}
