import { isObject } from "../../runtime/base/json.js";
import { openScope } from "../../runtime/client/scope.js";
import { A2AError, type ErrorTable } from "../../runtime/protocol/error.js";
import { isInternalFailure } from "../../runtime/protocol/internal-failure.js";
import type { Operation, ProtocolFacts } from "../../runtime/protocol/operation.js";
import {
  type CallOptions,
  lowerCaseNames,
  TransportError,
} from "../../runtime/protocol/transport.js";
import type { CallContext } from "../../runtime/server/context.js";

/** Client of an output. It has a method for each operation. */
export interface GatewayClient {
  readonly card: object | undefined;
  readonly version: string;
  close(): void;
}

/** Returns the headers for the upstream in a call. */
export type UpstreamHeaders = (
  context: CallContext,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** Changes requests and responses of the operations for webhooks. */
export interface Relay {
  request(
    operation: Operation,
    request: unknown,
    context: CallContext,
    headers: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  response(operation: Operation, response: unknown): unknown;
}

/** Dependencies of {@link serviceFor}. */
export interface GatewayCalls {
  readonly client: GatewayClient;
  readonly operations: readonly Operation[];
  readonly protocol: ProtocolFacts;
  readonly errors: ErrorTable;
  readonly headers: UpstreamHeaders;
  /** Time-out for a response, and for the first event of a stream, in milliseconds. */
  readonly timeoutMs: number;
  readonly relay: Relay | undefined;
  /** Returns whether an operation responds with a card. */
  readonly isCard: (operation: Operation) => boolean;
  /** Returns a card of the upstream as the gateway's card. */
  readonly cardOf: (card: object) => Promise<object>;
  /** Reports an error that callers do not see. */
  readonly report: (error: unknown) => void;
}

type Method = (request: unknown, context: CallContext) => unknown;

/** Returns a service whose methods call the upstream. */
export function serviceFor(parts: GatewayCalls): Record<string, Method> {
  const { client, operations } = parts;
  const entries = operations.flatMap((operation): [string, Method][] => {
    const call: unknown = Reflect.get(client, operation.method);
    if (typeof call !== "function") return [];
    const make = (request: unknown, options: CallOptions): unknown =>
      Reflect.apply(call, client, [request, options]);
    const method = operation.streaming === "none" ? unaryMethod : streamMethod;
    return [[operation.method, method(operation, make, parts)]];
  });
  return Object.fromEntries(entries);
}

type Make = (request: unknown, options: CallOptions) => unknown;

function unaryMethod(operation: Operation, make: Make, parts: GatewayCalls): Method {
  const { relay, timeoutMs } = parts;
  return async (given, context) => {
    const { request, options } = await outgoing(operation, given, context, parts);
    try {
      const response = await make(request, { ...options, timeoutMs });
      if (parts.isCard(operation) && isObject(response)) return await parts.cardOf(response);
      return relay === undefined ? response : await relay.response(operation, response);
    } catch (error) {
      throw sendable(error, context, parts);
    }
  };
}

function streamMethod(operation: Operation, make: Make, parts: GatewayCalls): Method {
  return async (given, context) => {
    const head = deferred();
    const { request, options } = await outgoing(operation, given, context, parts, head.resolve);
    const source = make(request, options) as AsyncIterable<unknown>;
    const events = new UpstreamEvents(source[Symbol.asyncIterator](), context, parts);
    // The head of a response contains the active extensions, so wait for the head of the
    // upstream's response. Other streams begin at once, so that they are kept alive while the
    // upstream is silent.
    if (context.extensions.length > 0)
      await Promise.race([head.promise, events.begin().catch(() => undefined)]);
    return events;
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let settle: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => (settle = resolve));
  return { promise, resolve: () => settle?.() };
}

/** The events of a stream of the upstream. Its errors are safe to send. */
class UpstreamEvents implements AsyncIterableIterator<unknown> {
  readonly #source: AsyncIterator<unknown>;
  readonly #context: CallContext;
  readonly #parts: GatewayCalls;
  #first: Promise<IteratorResult<unknown>> | undefined;
  #hasReturnedFirst = false;

  constructor(source: AsyncIterator<unknown>, context: CallContext, parts: GatewayCalls) {
    this.#source = source;
    this.#context = context;
    this.#parts = parts;
  }

  /** Requests the first event, which the first call of `next` returns. */
  begin(): Promise<IteratorResult<unknown>> {
    return (this.#first ??= this.#requestFirst());
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#hasReturnedFirst) return this.#request();
    this.#hasReturnedFirst = true;
    return this.begin();
  }

  async return(): Promise<IteratorResult<unknown>> {
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #request(): Promise<IteratorResult<unknown>> {
    try {
      return await this.#source.next();
    } catch (error) {
      throw sendable(error, this.#context, this.#parts);
    }
  }

  /** Requests the first event, and ends the stream if the event does not arrive in time. */
  async #requestFirst(): Promise<IteratorResult<unknown>> {
    const scope = openScope(undefined, this.#parts.timeoutMs);
    try {
      return await scope.race(this.#source.next());
    } catch (error) {
      if (scope.signal.aborted) void this.return().catch(() => undefined);
      throw sendable(error, this.#context, this.#parts);
    } finally {
      scope.end();
    }
  }
}

/** Returns the request and the options of a call to the upstream. */
async function outgoing(
  operation: Operation,
  request: unknown,
  context: CallContext,
  { headers: headersFor, protocol, relay }: GatewayCalls,
  onHead: () => void = () => undefined,
): Promise<{ readonly request: unknown; readonly options: CallOptions }> {
  const { signal, extensions } = context;
  const headers = passable(await headersFor(context), protocol);
  const onExtensions = (uris: readonly string[]): void => {
    for (const uri of uris) if (extensions.includes(uri)) context.activateExtension(uri);
    onHead();
  };
  return {
    request: (await relay?.request(operation, request, context, headers)) ?? request,
    options: {
      signal,
      headers,
      ...(extensions.length > 0 && { extensions, onExtensions }),
    },
  };
}

/**
 * Headers that belong to one connection or one body (RFC 9110), in lower case. The client sets its
 * own.
 */
const ownHeaders: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "accept",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Returns the headers that may be sent to the upstream. */
function passable(
  headers: Readonly<Record<string, string>>,
  { headers: { version, extensions } }: ProtocolFacts,
): Record<string, string> {
  const reserved = [version, extensions].map((name) => name.toLowerCase());
  const entries = Object.entries(lowerCaseNames(headers)).filter(
    ([name]) => !ownHeaders.has(name) && !reserved.includes(name),
  );
  return Object.fromEntries(entries);
}

/**
 * Returns the error that the caller receives. Protocol errors pass, except for internal errors.
 * Other errors may contain internal details, such as addresses, so they are reported and replaced.
 */
function sendable(error: unknown, { signal }: CallContext, parts: GatewayCalls): unknown {
  const { errors, report } = parts;
  // The caller has left, so the error is only that the call was aborted.
  if (signal.aborted) return error;
  if (error instanceof errors.invalidResponse) {
    report(error);
    return new errors.invalidResponse(undefined, { cause: error });
  }
  if (error instanceof A2AError) {
    if (!isInternalFailure(error, errors)) return error;
    report(error);
    const { httpStatus, grpcStatus, retryAfterSeconds } = error;
    const options = { cause: error, httpStatus, grpcStatus, retryAfterSeconds };
    return new errors.internal("The agent behind this gateway failed", options);
  }
  if (error instanceof TransportError) {
    report(error);
    return new errors.internal("The agent behind this gateway cannot be reached", {
      cause: error,
      httpStatus: 502,
      grpcStatus: "UNAVAILABLE",
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
  if (!(error instanceof DOMException && error.name === "TimeoutError")) return error;
  report(error);
  return new errors.internal("The agent behind this gateway did not respond in time", {
    cause: error,
    httpStatus: 504,
    grpcStatus: "DEADLINE_EXCEEDED",
  });
}
