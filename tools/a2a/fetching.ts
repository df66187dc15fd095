import { originOf } from "a2a-codegen-runtime/internal/client";
import {
  recorded,
  redactedBody,
  toCurl,
  type Exchange,
  type Fetch,
  type Interceptor,
  type Recorder,
} from "../agents/index.js";

/**
 * Returns a `fetch` that calls `onExceeded` after a number of bytes in all responses of a run.
 * Otherwise, a client that reconnects after each failure could read forever.
 */
export function limited(
  maxBytes: number,
  onExceeded: () => void,
  fetch: Fetch = (url, init) => globalThis.fetch(url, init),
): Fetch {
  let bytes = 0;
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, statusText, headers, body } = response;
    if (body === null) return response;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) onExceeded();
        else controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(counter), { status, statusText, headers });
  };
}

/** Returns a `fetch` that adds query parameters to requests to the given origins. */
export function withQuery(
  query: Readonly<Record<string, string>>,
  trustedOrigins: readonly string[],
  fetch: Fetch,
): Fetch {
  if (Object.keys(query).length === 0) return fetch;
  const trusted = new Set(trustedOrigins.map(originOf));
  return (url, init) => {
    const target = new URL(url);
    if (!trusted.has(target.origin)) return fetch(url, init);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    return fetch(target.href, init);
  };
}

/** Prints the exchanges of a run, for --debug. */
export class DebugLog {
  /** Names of headers and parameters that contain credentials. */
  readonly secrets: string[] = [];
  readonly #note: ((line: string) => void) | undefined;
  /** The number of events that are described, by the id of the exchange. */
  readonly #described = new Map<number, number>();
  /** All clients of a run share a recorder, so that their exchanges are numbered together. */
  #recorder: Recorder | undefined;
  #fetch: Fetch = (url, init) => globalThis.fetch(url, init);

  /** `note` prints a line; without it, nothing is recorded. */
  constructor(note: ((line: string) => void) | undefined) {
    this.#note = note;
  }

  /** Returns a `fetch` whose exchanges are printed. */
  around(fetch: Fetch): Fetch {
    const note = this.#note;
    if (note === undefined) return fetch;
    // The recorder calls the `fetch` of the latest client.
    this.#recorder ??= recorded((url, init) => this.#fetch(url, init), {
      onChange: (exchange) => this.#linesOf(exchange).forEach((line) => note(line)),
    });
    this.#fetch = fetch;
    return this.#recorder.fetch;
  }

  /**
   * Returns an interceptor that prints calls with their requests and responses, because gRPC has no
   * `fetch` to record. It does not print metadata, which may contain credentials.
   */
  calls(): Interceptor[] {
    const note = this.#note;
    if (note === undefined) return [];
    let count = 0;
    const begin = (name: string, request: unknown): ((sign: string, value: unknown) => void) => {
      count += 1;
      const id = `[gRPC ${count}]`;
      const print = (sign: string, value: unknown): void =>
        note(`${id} ${sign} ${redactedBody(JSON.stringify(value))}`);
      print(`→ ${name}`, request);
      return print;
    };
    return [
      {
        async unary(call, next) {
          const print = begin(call.name, call.request);
          const response = await next(call);
          print("←", response);
          return response;
        },
        async *stream(call, next) {
          const print = begin(call.name, call.request);
          for await (const event of next(call)) {
            print("←", event);
            yield event;
          }
        },
      },
    ];
  }

  /**
   * Returns the lines for a change to an exchange; an empty list if the change is not worth
   * printing.
   */
  #linesOf(exchange: Exchange): string[] {
    const { id, response, durationMs } = exchange;
    const lines =
      response?.events === undefined ? this.#linesOfBody(exchange) : this.#linesOfEvents(exchange);
    if (durationMs === undefined) return lines;
    this.#described.delete(id);
    const size = `${(response?.bytes ?? 0).toLocaleString("en")} bytes`;
    return [
      ...lines,
      `[${id}] ← end after ${Math.round(durationMs)} ms: ${exchange.error ?? size}`,
    ];
  }

  #linesOfBody(exchange: Exchange): string[] {
    const { id, response, durationMs } = exchange;
    const { secrets } = this;
    if (durationMs !== undefined) {
      const body = response?.body ?? "";
      return body === "" ? [] : [`[${id}] ← ${redactedBody(body)}`];
    }
    if (response === undefined)
      return toCurl(exchange, { secrets })
        .split("\n")
        .map((line) => `[${id}] → ${line}`);
    // Only the first change to a response is its head; each later change is a chunk of its body.
    if (response.bytes > 0) return [];
    return [`[${id}] ← ${response.status} after ${Math.round(response.headMs)} ms`];
  }

  #linesOfEvents({ id, response }: Exchange): string[] {
    const events = response?.events ?? [];
    const described = this.#described.get(id);
    this.#described.set(id, events.length);
    if (described === undefined) return [`[${id}] ← ${response?.status ?? ""} a stream of events`];
    return events
      .slice(described)
      .map(({ atMs, data }) => `[${id}] ← ${Math.round(atMs)} ms: ${redactedBody(data)}`);
  }
}
