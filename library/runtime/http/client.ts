import { A2AError, type ClientErrors } from "../protocol/error.js";
import type { Fetch, HttpOptions } from "../protocol/http-options.js";
import { isForgiven } from "../protocol/deviations.js";
import type { Issue } from "../schema/issue.js";
import type { EventStream } from "./events.js";
import { chunksOf } from "./stream.js";
import {
  lowerCaseNames,
  TransportError,
  type AgentInterface,
  type Via,
} from "../protocol/transport.js";

export type { Fetch, HttpOptions };

/** A request without its URL. */
export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly via?: Via | undefined;
  /**
   * By default, redirects are not followed: another server could receive credentials and requests.
   */
  readonly redirect?: "follow";
  readonly signal: AbortSignal | undefined;
}

/**
 * A response whose head has arrived. If reading the body fails, the methods throw a
 * {@link TransportError}, or the reason of the signal.
 */
export interface ReceivedResponse {
  readonly response: Response;
  /** Whether the response is a stream of events. */
  readonly streams: boolean;
  /** Reads the response as text. */
  text(): Promise<string>;
  /**
   * Reads the response as JSON; `undefined` if it is empty. Passes the text of valid JSON to
   * `checkText`.
   */
  json(checkText?: (text: string) => void): Promise<unknown>;
  /** Returns the values of a stream of JSON events. Leaving the loop ends the request. */
  events(stream: EventStream): Promise<AsyncIterable<unknown>>;
  /** Returns the error for a response that is not a response of the protocol. */
  readonly unexpected: (found: string, cause?: unknown) => TransportError;
}

/**
 * Returns the options for a transport to an interface: the options of its factory, or else the
 * options of the client. An interface that must not receive the client's headers does not receive
 * the headers of the factory either.
 */
export function httpOptionsFor({ http, isForeign }: AgentInterface, own: HttpOptions): HttpOptions {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...http, ...Object.fromEntries(given), ...(isForeign && { headers: {} }) };
}

/**
 * Sends a request and waits for the head of the response. If no response arrives, throws a
 * {@link TransportError}, or the reason of the signal. A response with an error status is returned.
 */
export async function send(
  url: string,
  request: OutgoingRequest,
  options: HttpOptions,
): Promise<ReceivedResponse> {
  const { fetch: send = fetch, headers } = options;
  const { signal = null } = request;
  try {
    const response = await (request.via?.fetch(send) ?? send)(url, {
      // The platform would follow a redirect to any origin, with the same headers.
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
  const unexpected = (found: string, cause?: unknown): TransportError =>
    new TransportError(`${url} responded with ${found} (HTTP status ${String(status)})`, {
      url,
      status,
      cause,
    });

  const { maxResponseBytes = 2 ** 26, maxValues = 2 ** 20 } = options;
  const parse = (text: string): unknown => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      // The message of the platform contains the position of the mistake.
      throw unexpected(`something other than JSON: ${reasonOf(cause)}`, cause);
    }
    // Unknown members stay in responses, and most code reads nested values by recursion. A shorter
    // text has fewer levels.
    if (text.length > 2_000 && isDeeperThan(1_000, value)) throw unexpected("deeply nested values");
    return value;
  };

  async function* guarded<T>(parts: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* parts;
    } catch (cause) {
      signal?.throwIfAborted();
      throw unexpected(`an unreadable body: ${reasonOf(cause)}`, cause);
    }
  }

  const text = async (): Promise<string> => {
    const decoder = new TextDecoder();
    let exceedsLimit: ((text: string, chunk: string) => boolean) | undefined;
    let received = "";
    let size = 0;
    for await (const chunk of guarded(chunksOf(body))) {
      // With a custom `fetch`, the body may continue after the signal is aborted.
      signal?.throwIfAborted();
      size += chunk.byteLength;
      if (size > maxResponseBytes) throw unexpected("more bytes than maxResponseBytes");
      const added = decoder.decode(chunk, { stream: true });
      received += added;
      // Only long responses load this module.
      if (received.length > maxValues)
        exceedsLimit ??= (await import("./value-limit.js")).valueLimit(maxValues);
      if (exceedsLimit?.(received, added)) throw unexpected("more values than maxValues");
    }
    return received + decoder.decode();
  };

  return {
    response,
    streams: /^text\/event-stream\b/i.test(headers.get("content-type") ?? ""),
    unexpected,
    text,
    async json(checkText) {
      const received = await text();
      if (received === "") return undefined;
      const value = parse(received);
      checkText?.(received);
      return value;
    },
    async events(stream) {
      // Only streams load this module.
      const reader = await import("./events.js").catch((cause: unknown) => {
        throw unexpected("a stream, whose reader could not be loaded", cause);
      });
      const { deviations, name } = stream.call;
      const source = {
        ...options,
        chunks: chunksOf(body),
        guarded,
        parse,
        maxValues,
        accepts: (deviation: Issue) => isForgiven(deviations, name, deviation),
        unexpected,
      };
      return reader.eventsIn(source, stream);
    },
  };
}

/**
 * Returns the error for a response with an error status: the error that `read` finds in the body.
 * If the status is 401 or 403 and the body does not contain a more specific error, returns the
 * error for missing credentials or missing permission. In all other cases, returns a
 * {@link TransportError}. Results of `read` that are not an error are ignored. Without `read`, the
 * response is an agent card, whose errors have no form.
 */
export async function errorOf(
  answer: ReceivedResponse,
  errors: ClientErrors,
  read?: (body: unknown) => unknown,
): Promise<A2AError | TransportError> {
  const text = await answer.text().catch((thrown: unknown) => {
    if (thrown instanceof TransportError) return "";
    throw thrown;
  });
  // Only failed calls load this module. Without it, the status is known, but not the error.
  return import("./error-response.js").then(
    ({ errorIn }) => errorIn(answer, text, errors, A2AError, read),
    (cause: unknown) => answer.unexpected("an error", cause),
  );
}

/**
 * Throws the error in a response that has no error status, with the seconds of the header
 * `Retry-After`.
 */
export async function throwIn({ headers }: Response, error: A2AError): Promise<never> {
  const text = headers.get("retry-after");
  // Few responses have the header. Without the module, only the seconds are unknown.
  if (text !== null)
    await import("../protocol/retry-after.js").then(
      ({ addRetryAfter }) => addRetryAfter(error, text),
      () => undefined,
    );
  throw error;
}

/**
 * Returns the message that explains why a `fetch` or the reading of a body failed. In Node, the
 * `cause` of the error contains this message.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.cause instanceof Error && error.cause.message) || error.message;
}

/** Returns whether a JSON value has more than `most` levels of nesting. */
function isDeeperThan(most: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(most - 1, item));
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) if (isDeeperThan(most - 1, members[key])) return true;
  return false;
}
