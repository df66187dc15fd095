import { isThenable, log } from "../base/async.js";
import { byteLength } from "../base/text.js";
import {
  notFound,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  type TextStream,
} from "../http/server.js";
import type { A2AError } from "../protocol/error.js";
import type { Operation } from "../protocol/operation.js";
import type { CallContext, Caller } from "./context.js";

/**
 * Outcome of a request. `ok`: the server sent the whole response, without an error. `refused`: the
 * server rejected the request before the interceptors. `failed`: the service, an interceptor or a
 * stream ended with an error. `disconnected`: the caller disconnected before the end of the
 * response.
 */
export type Outcome = "ok" | "refused" | "failed" | "disconnected";

/**
 * Report about one request, after its response has ended. `User` is the result of `authenticate`.
 */
export interface RequestReport<User = unknown> {
  /**
   * The name of the binding; `undefined` for the agent card, unknown paths and other requests that
   * are not calls.
   */
  readonly binding: string | undefined;
  /**
   * The protocol version of the response, `Major.Minor`; `undefined` if the request is not a call.
   */
  readonly version: string | undefined;
  /**
   * The operation; `undefined` if the server rejected the request before the operation was known.
   */
  readonly operation: Operation | undefined;
  readonly outcome: Outcome;
  /** The error that the server sent, if any. */
  readonly error: A2AError | undefined;
  /** The HTTP status; `undefined` on gRPC, or if the caller disconnected before the response. */
  readonly status: number | undefined;
  /** Time from the head of the request to the end of the response, in milliseconds. */
  readonly durationMs: number;
  /** Size of the received body; 0 if the server rejected the request before it read the body. */
  readonly requestBytes: number;
  /** Size of the sent body. */
  readonly responseBytes: number;
  /** The caller; `undefined` if the request is not a call. */
  readonly caller: Caller | undefined;
  /** The context of the call; `undefined` if the server rejected the call. */
  readonly context: CallContext<User> | undefined;
}

/** Receives a report about each request. */
export type Observe = (report: RequestReport) => unknown;

/** The parts of an exchange that a report contains. */
export interface ObservedExchange extends Caller {
  readonly version: { readonly protocol: { readonly version: string } };
}

/** Collects the facts about a request, and reports them once. */
export class Observation implements RequestReport {
  operation: Operation | undefined;
  error: A2AError | undefined;
  isRefused = false;
  status: number | undefined;
  requestBytes = 0;
  exchange: ObservedExchange | undefined;
  context: CallContext | undefined;
  /** Value of `performance.now()` when the head of the request arrived. */
  readonly since: number = performance.now();
  readonly #observe: Observe;
  #outcome: Outcome | undefined;
  #durationMs = 0;
  #sentBytes = 0;
  #body = "";

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  get binding(): string | undefined {
    return this.exchange?.binding;
  }

  get version(): string | undefined {
    return this.context?.version ?? this.exchange?.version.protocol.version;
  }

  get caller(): Caller | undefined {
    return this.exchange;
  }

  get outcome(): Outcome {
    return this.#outcome ?? this.#completed();
  }

  get durationMs(): number {
    return this.#durationMs;
  }

  /** The size is computed on demand, because many observers do not use it. */
  get responseBytes(): number {
    return this.#sentBytes + byteLength(this.#body);
  }

  /** Adds to the size of the sent body. */
  sent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** Reports the request. Later calls have no effect. Never throws. */
  end(outcome: Outcome = this.#completed()): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#durationMs = performance.now() - this.since;
    const observe = this.#observe;
    try {
      const result = observe(this);
      if (isThenable(result)) Promise.resolve(result).catch(log);
    } catch (thrown) {
      log(thrown);
    }
  }

  /** Ends the observation without a report, because another handler responds to the request. */
  discard(): void {
    this.#outcome ??= "ok";
  }

  /** Observes the response, and reports the request at its end. */
  watch(response: HttpResponse, hasBody: boolean): HttpResponse {
    const { status, body = "" } = response;
    this.status = status;
    if (typeof body !== "string") return { ...response, body: new ObservedBody(body, this) };
    if (hasBody) this.#body = body;
    this.end();
    return response;
  }

  #completed(): Outcome {
    if (this.isRefused) return "refused";
    if (this.error !== undefined) return "failed";
    const { status = 200 } = this;
    return status >= 400 ? "refused" : "ok";
  }
}

/**
 * Returns a handler that reports each request. If the server has no observer, returns the original
 * handler.
 */
export function observed(
  handler: HttpHandler,
  { observe }: { readonly observe: Observe | undefined },
): HttpHandler {
  if (observe === undefined) return handler;
  return (request) => {
    const observation = new Observation(observe);
    request.watch = observation;
    request.onClose(() => {
      observation.end("disconnected");
    });
    if (request.parsedBody !== undefined) observation.requestBytes = declaredBytes(request);
    return handler(request).then(
      (response) => {
        const sent = response ?? (request.isLast === true ? notFound() : undefined);
        if (sent !== undefined) return observation.watch(sent, request.method !== "HEAD");
        observation.discard();
        return undefined;
      },
      (thrown: unknown) => {
        observation.end("failed");
        throw thrown;
      },
    );
  };
}

function declaredBytes({ headers }: HttpRequest): number {
  const declared = Number(headers.get("content-length"));
  return Number.isSafeInteger(declared) ? declared : 0;
}

/** Counts the bytes of a stream. If reading ends early, the caller has disconnected. */
class ObservedBody implements AsyncIterableIterator<string> {
  readonly #source: AsyncIterator<string, undefined>;
  readonly #observation: Observation;

  constructor(body: TextStream, observation: Observation) {
    this.#source = body[Symbol.asyncIterator]();
    this.#observation = observation;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const result = await this.#source.next();
    if (result.done === true) this.#observation.end();
    else this.#observation.sent(byteLength(result.value));
    return result;
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#observation.end("disconnected");
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
