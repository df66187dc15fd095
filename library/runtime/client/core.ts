import type { DeviationOptions } from "../protocol/deviations.js";
import type { ClientErrors } from "../protocol/error.js";
import { interceptStream, interceptUnary } from "../protocol/interceptor.js";
import type { CallerFacts, ClientOperation } from "../protocol/operation.js";
import { readResponse, type ResponseOptions } from "../protocol/response.js";
import { openScope, streamWithin } from "./scope.js";
import {
  lowerCaseNames,
  TransportError,
  withTenant,
  type Call,
  type CallOptions,
  type Interceptor,
  type Transport,
} from "../protocol/transport.js";

/** Options for a client. `Each` is the type of its interceptors. */
export interface ClientOptions<Each = Interceptor> extends DeviationOptions {
  readonly transport: Transport;
  /** Interceptors for every call. The first interceptor is the outermost. */
  readonly interceptors?: readonly Each[] | undefined;
  /** Headers, or gRPC metadata, for every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** URIs of the extensions that every call requests. */
  readonly extensions?: readonly string[] | undefined;
  /** The tenant for requests that do not set a tenant. */
  readonly tenant?: string | undefined;
  /** Time-out of a call in milliseconds. Default: none. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether responses, including the card, are checked. A response in canonical JSON is returned
   * unchanged, with its unknown members. Any other response is converted to its canonical form.
   * Default: true.
   */
  readonly validate?: boolean | undefined;
}

/** Options for a {@link ClientCore}. */
export interface ClientCoreOptions extends ClientOptions, ResponseOptions {
  readonly protocol: CallerFacts;
  readonly errors: ClientErrors;
}

/**
 * Core of a client: sets the service parameters, enforces time-outs, runs the interceptors, and
 * checks responses.
 */
export class ClientCore {
  readonly #options: ClientCoreOptions;
  readonly #deviations: DeviationOptions;
  readonly #unary: Transport["unary"];
  readonly #stream: Transport["stream"];
  #isClosed = false;

  constructor(options: ClientCoreOptions) {
    const { transport, interceptors = [], strict, onDeviation } = options;
    this.#options = options;
    this.#deviations = { strict, onDeviation };
    this.#unary = interceptUnary(interceptors, (call) => this.#checkedUnary(call));
    this.#stream = interceptStream(interceptors, (call) =>
      this.#checkedStream(call, transport.stream(call)),
    );
  }

  /**
   * Calls an operation with one response. Throws an `A2AError` if the response is an error or
   * invalid, and a `TransportError` if no response of the protocol arrives. If the call is aborted,
   * throws the reason of the signal, and after a time-out a `DOMException` named `TimeoutError`.
   */
  async unary<Request, Response>(
    operation: ClientOperation<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions = {},
  ): Promise<Response> {
    const { signal, timeoutMs = this.#options.timeoutMs } = options;
    const scope = signal || timeoutMs !== undefined ? openScope(signal, timeoutMs) : undefined;
    try {
      scope?.signal.throwIfAborted();
      const response = this.#unary(
        this.#call(operation, request, options, timeoutMs, scope?.signal),
      );
      // The response was checked in `#checkedUnary`, or was returned by an interceptor.
      return (await (scope?.race(response) ?? response)) as Response;
    } finally {
      scope?.end();
    }
  }

  /**
   * Calls an operation with a stream of responses. The request is sent once, when iteration starts.
   * A second loop over the same stream continues where the first loop ended. Leaving the loop ends
   * the request. Iteration throws the same errors as {@link ClientCore.unary}. The time-out covers
   * the whole stream.
   */
  stream<Request, Response>(
    operation: ClientOperation<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions = {},
  ): AsyncIterable<Response> {
    const { signal, timeoutMs = this.#options.timeoutMs } = options;
    return streamWithin(
      () => openScope(signal, timeoutMs),
      (ended) =>
        this.#stream(
          this.#call(operation, request, options, timeoutMs, ended),
        ) as AsyncIterable<Response>,
    );
  }

  /**
   * Closes the connections of the transport. Later calls throw a `TransportError`. Closing twice is
   * allowed.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.transport.close?.();
  }

  /** Whether {@link ClientCore.close} has been called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The protocol version of requests to the server. */
  get version(): string {
    return this.#options.transport.version ?? this.#options.protocol.version;
  }

  #call(
    operation: ClientOperation,
    request: unknown,
    options: CallOptions,
    timeoutMs: number = Infinity,
    signal: AbortSignal | undefined,
  ): Call {
    if (this.#isClosed)
      throw new TransportError("The client is closed: create a new client", {
        url: "",
        unsent: true,
      });
    const { protocol, headers, extensions = [], tenant } = this.#options;
    const names = protocol.headers;
    const requested = new Set([...extensions, ...(options.extensions ?? [])]);
    const uris = requested.size ? [...requested] : undefined;
    const call: Call = {
      name: operation.name,
      operation,
      request,
      headers: lowerCaseNames(
        names && { [names.version]: protocol.version },
        headers,
        options.headers,
        uris && names && { [names.extensions]: String(uris) },
      ),
      signal,
      deviations: this.#deviations,
      deadline: timeoutMs < Infinity ? Date.now() + timeoutMs : undefined,
      extensions: uris,
      onExtensions: options.onExtensions,
      onHeaders: options.onHeaders,
      onTrailers: options.onTrailers,
    };
    return withTenant(call, protocol.tenant, tenant);
  }

  #checked({ operation }: Call, value: unknown): unknown {
    const { errors, validate = true } = this.#options;
    return validate ? readResponse(operation, value, errors, this.#options) : value;
  }

  async #checkedUnary(call: Call): Promise<unknown> {
    return this.#checked(call, await this.#options.transport.unary(call));
  }

  async *#checkedStream(call: Call, responses: AsyncIterable<unknown>): AsyncIterable<unknown> {
    for await (const response of responses) {
      const checked = this.#checked(call, response);
      const event = checked instanceof Promise ? ((await checked) as unknown) : checked;
      yield event;
      if (call.operation.isLast?.(event)) return;
    }
  }
}
