import { isAsyncIterable, mapped, notify } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { DeviationOptions } from "./deviations.js";
import { trailerPrefix } from "./headers.js";
import type { HttpOptions } from "./http-options.js";
import type { CallInterceptor } from "./interceptor.js";
import type { ClientOperation, Operation } from "./operation.js";

/** Options for one call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds after which the call rejects with a `DOMException` named `TimeoutError`. A stream
   * must end within this time. `Infinity` disables the client's time-out.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Headers, or gRPC metadata, for this call. They override the client's headers with the same
   * name. The values of names that end with `-bin` are base64. Several values are separated by
   * commas.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** URIs of the extensions to request, in addition to the client's extensions. */
  readonly extensions?: readonly string[] | undefined;
  /**
   * Called with the URIs of the extensions that the server has activated, when the head of the
   * response arrives.
   */
  readonly onExtensions?: ((uris: readonly string[]) => void) | undefined;
  /**
   * Called with the headers, or the gRPC metadata, of the response, when its head arrives, and again
   * if the call is sent again. The values of names that end with `-bin` are base64.
   */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
  /**
   * Called with the trailers of the response, also if it is an error. Over HTTP+JSON and JSON-RPC,
   * only calls with one response have trailers.
   */
  readonly onTrailers?: ((trailers: Headers) => void) | undefined;
}

/** A call of an operation, ready to be sent. */
export interface Call {
  /** The name of the operation, or `GET` and a path if the client looks for the agent card. */
  readonly name: string;
  readonly operation: ClientOperation;
  /** The request as JSON, or an `AsyncIterable` of requests if the operation streams them. */
  readonly request: unknown;
  /** Headers with lower-case names, including the service parameters of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Extends the exchange with the server. Ignored for interfaces that must not receive the headers.
   */
  readonly via?: Via | undefined;
  readonly signal: AbortSignal | undefined;
  /**
   * Time at which the call times out, in milliseconds since 1970, for bindings that send it to the
   * server.
   */
  readonly deadline?: number | undefined;
  /**
   * Called with the URIs of the extensions that the server has activated. Interceptors may set it.
   */
  readonly onExtensions?: CallOptions["onExtensions"];
  /** Called with the headers of the response. Interceptors may set it. */
  readonly onHeaders?: CallOptions["onHeaders"];
  /** Called with the trailers of the response. Interceptors may set it. */
  readonly onTrailers?: CallOptions["onTrailers"];
  /**
   * URIs of the extensions that the client requests. An interface that must not receive the
   * client's headers receives these URIs instead of the value in `headers`.
   */
  readonly extensions?: readonly string[] | undefined;
  /**
   * Checks the JSON text of a unary response. Throws an error to reject the response. Bindings
   * whose responses are not text ignore this function.
   */
  readonly checkText?: ((text: string) => void) | undefined;
  /**
   * How to handle deviations of the server from the specification. Default: all of them are
   * refused.
   */
  readonly deviations?: DeviationOptions | undefined;
  /**
   * Origins that may receive the headers. Default: all origins that the client sends headers to.
   */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/** Extends the exchange of a call with the server. */
export interface Via {
  /** Wraps the `fetch` of the HTTP bindings, for example to add a secret to the query of URLs. */
  fetch(send: (url: string, init: RequestInit) => Promise<Response>): typeof send;
  /** Receives the `www-authenticate` metadata of a gRPC response, and the URL of the server. */
  challenge(text: string, url: string): void;
  /**
   * Returns a value that distinguishes callers with the same headers. It is part of the key of
   * cached cards.
   */
  toJSON(): unknown;
}

/**
 * Connection to a server over one binding. `unary` and `stream` throw an `A2AError` for an error
 * response, and a {@link TransportError} if the response is missing or invalid. If the signal is
 * aborted, they throw its reason.
 */
export interface Transport {
  /** The name of the binding in agent cards. */
  readonly binding: string;
  /** The protocol version of the requests. Absent if it is the version of the client. */
  readonly version?: string;
  /** Sends the call and returns the response without checking it. */
  unary(call: Call): Promise<unknown>;
  /**
   * Returns the responses without checking them. Sends nothing until the first response is
   * requested. Leaving the loop ends the call.
   */
  stream(call: Call): AsyncIterable<unknown>;
  /**
   * Returns whether the binding supports the operation. Absent if the binding supports all
   * operations.
   */
  carries?(operation: ClientOperation): boolean;
  /** Closes connections that stay open between calls. */
  close?(): void;
}

/** The request for an agent card, in the form that interceptors see. */
export type CardSearch = Call & { readonly name: `GET ${string}` };

/** Wraps every call between the client and the transport. */
export interface ClientInterceptor<in Each = Call, Next = Call> extends CallInterceptor<
  Each,
  Next
> {
  /**
   * Checks a card that is passed to `connect` instead of a URL. Throws an error to reject the card.
   */
  checkCard?(card: object): Promise<void> | void;
}

/** A {@link ClientInterceptor} for all operations. */
export type Interceptor = ClientInterceptor;

/** An interface in an agent card. */
export interface AgentInterface {
  readonly url: string;
  readonly binding: string;
  /** The protocol version of the interface. */
  readonly version: string;
  /** The tenant of requests to the interface. */
  readonly tenant: string | undefined;
  /**
   * Set if the client's headers must not be sent to the origin of the interface. A transport must
   * not add its own headers either.
   */
  readonly isForeign?: true;
  /** The client's options for HTTP. Options of a factory take precedence. */
  readonly http?: HttpOptions | undefined;
}

/** Creates transports of one binding. */
export interface TransportFactory {
  /** The name of the binding in agent cards. */
  readonly binding: string;
  /** The protocol version of its transports. Absent if it is the version of the client. */
  readonly version?: string;
  /** Returns a transport for the interface. It may connect at the first call. */
  open(target: AgentInterface): Transport;
}

/** Options for a {@link TransportError}. */
export interface TransportErrorOptions {
  readonly url: string;
  readonly status?: number | undefined;
  /** Whether it is certain that the server has not received the request. */
  readonly unsent?: boolean;
  readonly cause?: unknown;
}

/**
 * Error of a call if the server is unreachable, or if its response is not a response of the
 * protocol.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** The URL of the call. */
  declare readonly url: string;
  /** The HTTP status of the response, if there was a response. */
  declare readonly status: number | undefined;
  /**
   * Set if the transport is certain that the server has not received the request.
   * `wasNotSent(error)` covers more cases.
   */
  declare readonly unsent: true | undefined;
  /** Seconds after which the same call may succeed, if the response contains them. */
  declare readonly retryAfterSeconds?: number | undefined;

  constructor(message: string, options: TransportErrorOptions) {
    super(message, options);
    this.url = options.url;
    this.status = options.status;
    this.unsent = options.unsent ? true : undefined;
  }
}

/** Sets the tenant field of each request that has such a field, unless the field is already set. */
export function withTenant(
  call: Call,
  field: string | undefined,
  tenant: string | undefined,
): Call {
  const { operation, request } = call;
  if (!field || !tenant || !operation.tenant) return call;
  const fill = (value: unknown): unknown => {
    const isUnset = isObject(value) && !value[field];
    return isUnset ? { ...value, [field]: tenant } : value;
  };
  return { ...call, request: isAsyncIterable(request) ? mapped(request, fill) : fill(request) };
}

/**
 * Returns a request in which the booleans of `trueIfAbsent` are set to `true` if they are absent.
 */
export function spelledOut(
  request: unknown,
  { trueIfAbsent = [] }: Pick<Operation, "trueIfAbsent">,
): unknown {
  return isObject(request) ? trueIfAbsent.reduce(withTrue, request) : request;
}

function withTrue(value: unknown, path: readonly string[]): unknown {
  const [key, rest] = [path.at(0), path.slice(1)];
  if (key === undefined) return value ?? true;
  if (value === undefined) return { [key]: withTrue(undefined, rest) };
  return isObject(value) ? { ...value, [key]: withTrue(value[key], rest) } : value;
}

/**
 * Reports the headers of the response to a call, and the extensions in the header with the name
 * `extensions`. Never throws.
 */
export function reportHead(
  { onExtensions, onHeaders }: Call,
  headers: Headers,
  extensions: string | undefined,
): void {
  notify(() => onHeaders?.(headers));
  notify(() => onExtensions?.((extensions && headers.get(extensions))?.match(/[^\s,]+/g) ?? []));
}

/**
 * Reports the headers of the response to a call over HTTP like {@link reportHead}, and its trailers:
 * if a call has one response, they are headers with {@link trailerPrefix}. Never throws.
 */
export function reportHttpHead(call: Call, headers: Headers, extensions: string | undefined): void {
  const { onTrailers, operation } = call;
  reportHead(call, headers, extensions);
  if (operation.streaming === "none") notify(() => onTrailers?.(trailersIn(headers)));
}

function trailersIn(headers: Headers): Headers {
  const trailers = new Headers();
  headers.forEach((value, name) => {
    if (name.startsWith(trailerPrefix)) trailers.set(name.slice(trailerPrefix.length), value);
  });
  return trailers;
}

/**
 * Merges headers, with their names in lower case. If several headers have the same name, the last
 * header is used.
 */
export function lowerCaseNames(
  ...all: (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const entries = all.flatMap((headers = {}) => Object.entries(headers));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
