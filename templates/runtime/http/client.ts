import { A2AError, type ClientErrors } from "../protocol/error.js";
import { readEvents } from "./sse.js";
import { chunksOf } from "./stream.js";
import { lowerCaseNames, TransportError } from "../protocol/transport.js";
import { valueLimit } from "./value-limit.js";

/** The `fetch` of the platform, or anything that does the same. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How the transports over HTTP send and what they take in. */
export interface HttpOptions {
  /** Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /** Headers of every request; those of the client and of the call replace them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The length of an event of a stream, in UTF-16 units, above which it is an error; each further line of it counts 64 more.
   * Default: 16 MiB.
   */
  readonly maxEventBytes?: number | undefined;
  /** The bytes of any other response, uncompressed, above which it is an error. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** The values in the JSON of a response or an event above which it is an error. Default: about a million. */
  readonly maxValues?: number | undefined;
}

/** What goes out, besides the URL that it goes to. */
export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** By default redirects are not followed: another place could be told credentials and requests. */
  readonly redirect?: "follow";
  readonly signal: AbortSignal | undefined;
}

/** A response whose head has arrived. Reading it throws a {@link TransportError}, or the reason of the signal. */
export interface ReceivedResponse {
  readonly response: Response;
  /** Returns whether the response is a stream of events. */
  readonly streams: boolean;
  /** Reads the response as JSON; `undefined` where it is empty. */
  json(): Promise<unknown>;
  /** Reads the response as a stream of events with JSON in each. Leaving the loop ends the request. */
  events(): AsyncIterable<unknown>;
  /** The error for a response that is not one of the protocol. */
  unexpected(what: string, cause?: unknown): TransportError;
}

/**
 * Sends a request and waits for the head of the response, whatever its status. Throws a {@link TransportError} where
 * there is none, or the reason of the signal.
 */
export async function send(url: string, request: OutgoingRequest, options: HttpOptions): Promise<ReceivedResponse> {
  const { fetch: send = fetch, headers } = options;
  const { signal = null } = request;
  try {
    const response = await send(url, {
      redirect: "manual",
      ...request,
      signal,
      headers: lowerCaseNames(headers, request.headers),
    });
    return receivedOf(url, signal, options, response);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new TransportError(`No response from ${url}: ${reasonOf(cause)}`, { url, cause });
  }
}

function receivedOf(
  url: string,
  signal: AbortSignal | null,
  options: HttpOptions,
  response: Response,
): ReceivedResponse {
  const { status, headers, body } = response;
  const unexpected = (what: string, cause?: unknown): TransportError =>
    new TransportError(`${url} responded with ${what} (HTTP status ${String(status)})`, { url, status, cause });

  const { maxResponseBytes = 2 ** 26, maxValues = 2 ** 20 } = options;
  const tooMany = (): TransportError => unexpected("more values than maxValues");
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw unexpected("something other than JSON", cause);
    }
  };

  async function* guarded<T>(parts: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* parts;
    } catch (cause) {
      signal?.throwIfAborted();
      throw unexpected(`a body that cannot be read: ${reasonOf(cause)}`, cause);
    }
  }

  return {
    response,
    streams: /^text\/event-stream\b/i.test(headers.get("content-type") ?? ""),
    unexpected,
    async json() {
      const decoder = new TextDecoder();
      const isTooMuch = valueLimit(maxValues);
      let text = "";
      let size = 0;
      for await (const chunk of guarded(chunksOf(body))) {
        // A body that a `fetch` of the application makes need not end with its signal.
        signal?.throwIfAborted();
        size += chunk.byteLength;
        if (size > maxResponseBytes) throw unexpected("more bytes than maxResponseBytes");
        const piece = decoder.decode(chunk, { stream: true });
        text += piece;
        if (isTooMuch(text, piece)) throw tooMany();
      }
      text += decoder.decode();
      return text === "" ? undefined : parse(text);
    },
    async *events() {
      for await (const data of guarded(readEvents(body, options))) {
        // Most events are so short that nothing has to be counted.
        if (data.length > maxValues && valueLimit(maxValues)(data, data)) throw tooMany();
        if (data !== "") yield parse(data);
      }
    },
  };
}

/**
 * Returns the error that a response with an error status stands for: the one that `read` finds in its body, or the
 * error for missing access where the status is 401 or 403 and the body says nothing more precise, or else a {@link
 * TransportError}. What else `read` finds does not count.
 */
export async function errorOf(
  answer: ReceivedResponse,
  errors: ClientErrors,
  read: (body: unknown) => unknown,
): Promise<A2AError | TransportError> {
  const { status } = answer.response;
  const fault = answer.unexpected("no error of the protocol");
  const found = await answer.json().then(read, (cause: unknown) => {
    if (!(cause instanceof TransportError)) throw cause;
  });
  const error = found instanceof A2AError ? found : undefined;
  const Access = status === 401 ? errors.unauthenticated : status === 403 ? errors.permissionDenied : undefined;
  if (Access === undefined || (error && isPrecise(error, errors))) return error ?? fault;
  return new Access(error?.message, { details: error?.details ?? [], cause: error ?? fault });
}

/** Returns whether the protocol defines the error, and defines it as more than a request gone wrong. */
export function isPrecise(error: A2AError, { classes, invalidRequest, internal }: ClientErrors): boolean {
  return classes.some((Known) => error instanceof Known && Known !== invalidRequest && Known !== internal);
}

/** What a failed `fetch` or body says; Node hides it one level down. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause instanceof Error && error.cause.message) || error.message;
}
