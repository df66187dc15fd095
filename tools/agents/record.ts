import type { Fetch } from "a2a-codegen-runtime/internal/client";
import { EventLog, type OmittedEvents, type RecordedEvent } from "./record-events.js";

export { maxEvents, type OmittedEvents, type RecordedEvent } from "./record-events.js";

/** A request and its response. The object changes while the response arrives. */
export interface Exchange {
  /** 1 for the first exchange of a recorder. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly request: RecordedRequest;
  /** `undefined` until the head of the response arrives. */
  readonly response: RecordedResponse | undefined;
  /** The reason if there was no response, or if it ended early. */
  readonly error: string | undefined;
  /** Whether the caller has ended the call. */
  readonly isAborted: boolean;
  /** Milliseconds until the end of the response; `undefined` until then. */
  readonly durationMs: number | undefined;
}

/** A recorded request. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A recorded response. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until the head of the response. */
  readonly headMs: number;
  /** The text so far. Empty for a stream of events. */
  readonly body: string;
  /** The events so far; `undefined` for other responses. */
  readonly events: readonly RecordedEvent[] | undefined;
  /** The events that are not in `events` because of the limits of the recorder. */
  readonly omitted: OmittedEvents;
  /** Number of bytes so far. */
  readonly bytes: number;
  /** Whether body or events are incomplete because of the limits of the recorder. */
  readonly isTruncated: boolean;
}

/** Maximum number of characters to keep for a response by default. */
export const maxLength = 2 ** 22;

/** Number of responses of the maximum length that are kept. */
const maxLong = 16;

/** Options for {@link recorded}. */
export interface RecordOptions {
  /** Called after each change to an exchange. */
  readonly onChange?: (exchange: Exchange) => void;
  /**
   * Maximum number of characters to keep for a body, or for all events of a response; about four
   * million by default.
   */
  readonly maxLength?: number;
  /**
   * Maximum number of exchanges to keep; the recorder deletes the oldest. Default: 200, or fewer if
   * their responses are long.
   */
  readonly maxExchanges?: number;
}

/** A `fetch` that records exchanges, and the recorded exchanges. */
export interface Recorder {
  readonly fetch: Fetch;
  readonly exchanges: readonly Exchange[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type OpenExchange = Mutable<Omit<Exchange, "response">> & {
  response: Mutable<RecordedResponse> | undefined;
};

/**
 * Returns a `fetch` that records each exchange. Responses pass through unchanged and unbuffered.
 */
export function recorded(
  fetch: Fetch = (url, init) => globalThis.fetch(url, init),
  options: RecordOptions = {},
): Recorder {
  const { onChange = () => undefined, maxExchanges = 200 } = options;
  const limit = options.maxLength ?? maxLength;
  const exchanges: Exchange[] = [];
  let count = 0;
  return {
    exchanges,
    async fetch(url, init) {
      count += 1;
      const exchange = exchangeOf(count, url, init);
      exchanges.push(exchange);
      if (exchanges.length > maxExchanges) exchanges.shift();
      while (lengthOf(exchanges, limit) > maxLong * limit) exchanges.shift();
      onChange(exchange);
      const started = performance.now();
      const end = (error?: unknown): void => {
        if (error !== undefined) exchange.error = causeOf(error);
        exchange.isAborted = init.signal?.aborted === true;
        exchange.durationMs = performance.now() - started;
        onChange(exchange);
      };
      try {
        const response = await fetch(url, init);
        return observe(response, exchange, {
          started,
          end,
          maxLength: limit,
          changed: () => onChange(exchange),
        });
      } catch (error) {
        end(error);
        throw error;
      }
    },
  };
}

/** Returns about how many characters of responses are kept. */
function lengthOf(exchanges: readonly Exchange[], limit: number): number {
  return exchanges.reduce((sum, { response }) => sum + Math.min(response?.bytes ?? 0, limit), 0);
}

function exchangeOf(id: number, url: string, init: RequestInit): OpenExchange {
  const headers = Object.fromEntries(new Headers(init.headers).entries());
  const body = typeof init.body === "string" ? init.body : undefined;
  const request = { method: init.method ?? "GET", url, headers, body };
  return {
    id,
    startedAt: Date.now(),
    request,
    response: undefined,
    error: undefined,
    isAborted: false,
    durationMs: undefined,
  };
}

/** Observer of a response. */
interface Observer {
  readonly started: number;
  readonly maxLength: number;
  readonly changed: () => void;
  readonly end: (error?: unknown) => void;
}

/** Returns the response with a body that is recorded while its reader reads it. */
function observe(response: Response, exchange: OpenExchange, observer: Observer): Response {
  const { status, statusText, headers, body, type } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  const log = new EventLog(observer.maxLength);
  const recordedResponse: Mutable<RecordedResponse> = {
    status,
    headers: Object.fromEntries(headers.entries()),
    headMs: performance.now() - observer.started,
    body: "",
    events: isStream ? log.events : undefined,
    omitted: log.omitted,
    bytes: 0,
    isTruncated: false,
  };
  exchange.response = recordedResponse;
  // Responses without a body, and redirects that a browser hides, cannot be constructed again.
  if (body === null || type === "opaqueredirect" || type === "opaque") {
    observer.end();
    return response;
  }
  observer.changed();
  const collector = isStream ? log : new BodyText(recordedResponse, observer.maxLength);
  const passed = passing(body, {
    chunk(bytes) {
      recordedResponse.bytes += bytes.byteLength;
      collector.add(bytes, performance.now() - observer.started);
      recordedResponse.isTruncated = collector.isTruncated;
      observer.changed();
    },
    end: observer.end,
  });
  return new Response(passed, { status, statusText, headers });
}

/** Collects the text of a body. */
class BodyText {
  isTruncated = false;
  readonly #decoder = new TextDecoder();
  readonly #response: Mutable<RecordedResponse>;
  readonly #maxLength: number;

  constructor(response: Mutable<RecordedResponse>, maxLength: number) {
    this.#response = response;
    this.#maxLength = maxLength;
  }

  add(bytes: Uint8Array): void {
    if (this.isTruncated) return;
    const body = this.#response.body + this.#decoder.decode(bytes, { stream: true });
    this.isTruncated = body.length > this.#maxLength;
    this.#response.body = this.isTruncated ? body.slice(0, this.#maxLength) : body;
  }
}

/**
 * Returns a stream with the same chunks. Calls the observer for each chunk when the reader of the
 * stream requests it.
 */
function passing(
  body: ReadableStream<Uint8Array>,
  {
    chunk,
    end,
  }: { readonly chunk: (bytes: Uint8Array) => void; readonly end: (error?: unknown) => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            controller.close();
            return;
          }
          chunk(value);
          controller.enqueue(value);
        } catch (error) {
          end(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Returns the text of the cause of an error, because `fetch` hides the cause: "fetch failed". */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ""
    ? error.cause.message
    : error.message;
}
