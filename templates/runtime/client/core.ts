import type { ClientErrors } from "../protocol/error.js";
import { interceptStream, interceptUnary } from "../protocol/interceptor.js";
import type { ClientFacts, ClientOperation } from "../protocol/operation.js";
import { parseResponse, type OnUnknown } from "../protocol/response.js";
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

/** Options for a client, besides the tables of its protocol. `Each` is the type of its interceptors. */
export interface ClientOptions<Each = Interceptor> {
  readonly transport: Transport;
  /** See every call; the first one is the outermost. */
  readonly interceptors?: readonly Each[] | undefined;
  /** Headers, or gRPC metadata, of every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** URIs of the extensions that every call asks for. */
  readonly extensions?: readonly string[] | undefined;
  /** The tenant of requests that name none. */
  readonly tenant?: string | undefined;
  /** The milliseconds that a call may take. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Whether responses, the card among them, are checked and brought into their canonical form. Default: true. */
  readonly validate?: boolean | undefined;
  /**
   * Is called with what a later version may have added to a response, which stays in it as it came. What it throws costs
   * no call anything: it goes to `console.error`.
   */
  readonly onUnknown?: OnUnknown | undefined;
}

/** All that a {@link ClientCore} needs. */
export interface ClientCoreOptions extends ClientOptions {
  readonly protocol: ClientFacts;
  readonly errors: ClientErrors;
}

/** Calls operations: sets the service parameters, keeps to the time, runs the interceptors, and checks responses. */
export class ClientCore {
  readonly #options: ClientCoreOptions;
  readonly #unary: Transport["unary"];
  readonly #stream: Transport["stream"];
  #isClosed = false;

  constructor(options: ClientCoreOptions) {
    const { transport, interceptors = [] } = options;
    this.#options = options;
    this.#unary = interceptUnary(interceptors, (call) => this.#checkedUnary(call));
    this.#stream = interceptStream(interceptors, (call) => this.#checkedStream(call, transport.stream(call)));
  }

  /**
   * Calls an operation with one response. Throws an `A2AError` for what the agent responds with, and for a response
   * that is not of the type of the operation; a `TransportError` where there is no proper response; and the reason of
   * the signal, or a `DOMException` named `TimeoutError`, where the call ends before.
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
      this.#throwIfClosed();
      const response = this.#unary(this.#call(operation, request, options, scope?.signal));
      // Checked above, or by the interceptor that responded in its place.
      return (await (scope?.race(response) ?? response)) as Response;
    } finally {
      scope?.end();
    }
  }

  /**
   * Calls an operation with any number of responses. The request is sent when iteration begins, and once: a second
   * iteration goes on where the first is. Leaving the loop ends the request. Throws while iterating what
   * {@link ClientCore.unary} throws; the timeout covers the whole stream.
   */
  stream<Request, Response>(
    operation: ClientOperation<Request, Response>,
    request: Request | AsyncIterable<Request>,
    options: CallOptions = {},
  ): AsyncIterable<Response> {
    const { signal, timeoutMs = this.#options.timeoutMs } = options;
    return streamWithin(
      () => openScope(signal, timeoutMs),
      (ended) => {
        this.#throwIfClosed();
        return this.#stream(this.#call(operation, request, options, ended)) as AsyncIterable<Response>;
      },
    );
  }

  /**
   * Releases the connections of the transport. Calls that begin later throw a `TransportError`, whatever the transport.
   * To close once more does nothing.
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

  /** The version that is spoken with the agent. */
  get version(): string {
    return this.#options.transport.version ?? this.#options.protocol.version;
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new TransportError("The client has been closed: make another", { url: "", unsent: true });
  }

  #call(operation: ClientOperation, request: unknown, options: CallOptions, signal: AbortSignal | undefined): Call {
    const { protocol, headers, extensions = [], tenant } = this.#options;
    const { version, extensions: wanted } = protocol.headers;
    const uris = new Set([...extensions, ...(options.extensions ?? [])]);
    const all = lowerCaseNames(
      { [version]: protocol.version },
      headers,
      options.headers,
      uris.size > 0 ? { [wanted]: [...uris].join(",") } : undefined,
    );
    const call = { name: operation.name, operation, request, headers: all, signal };
    return withTenant(uris.size > 0 ? { ...call, extensions: [...uris] } : call, protocol.tenant, tenant);
  }

  #checked({ operation }: Call, value: unknown): unknown {
    const { errors, onUnknown, validate = true } = this.#options;
    return validate ? parseResponse(operation, value, errors, onUnknown) : value;
  }

  async #checkedUnary(call: Call): Promise<unknown> {
    return this.#checked(call, await this.#options.transport.unary(call));
  }

  async *#checkedStream(call: Call, responses: AsyncIterable<unknown>): AsyncIterable<unknown> {
    for await (const response of responses) yield this.#checked(call, response);
  }
}
