import { isAsyncIterable, mapped } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { CallInterceptor } from "./interceptor.js";
import type { ClientOperation, Operation } from "./operation.js";

/** What a caller can say about one call. */
export interface CallOptions {
  /** Ends the call: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The milliseconds after which the call rejects with a `DOMException` named `TimeoutError`; a stream has to be over
   * by then. `Infinity` waives the timeout of the client.
   */
  readonly timeoutMs?: number | undefined;
  /** Headers, or gRPC metadata, of this call. They replace those of the client that have the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** URIs of the extensions that the call asks for, beside those of the client. */
  readonly extensions?: readonly string[] | undefined;
}

/** One call of an operation, ready to be sent. */
export interface Call {
  /** The name of the operation, or `GET` and a path for the search for the agent card. */
  readonly name: string;
  readonly operation: ClientOperation;
  /** The request as JSON; an `AsyncIterable` of requests where the operation streams them. */
  readonly request: unknown;
  /** Headers with lower-case names, the service parameters of the protocol among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** URIs of the extensions that the client asks for: all that interfaces of other origins get of the header for them. */
  readonly extensions?: readonly string[] | undefined;
  /** Origins that the headers may go to, of those that the client sends headers to. Default: all of these. */
  readonly origins?: readonly string[] | undefined;
}

/**
 * One way to reach an agent. Both methods throw an `A2AError` for what the agent responds with, a {@link
 * TransportError} where there is no proper response, and the reason of the signal once that has fired.
 */
export interface Transport {
  /** The name of the binding, as agent cards have it. */
  readonly binding: string;
  /** The version that it speaks with the agent; absent where that is the client's. */
  readonly version?: string;
  /** Sends the call and returns the one response, unchecked. */
  unary(call: Call): Promise<unknown>;
  /**
   * Returns the responses, unchecked. Nothing is sent before the first is asked for; leaving the loop ends the call.
   */
  stream(call: Call): AsyncIterable<unknown>;
  /** Returns whether the binding has the operation. Absent where it has all. */
  carries?(operation: ClientOperation): boolean;
  /** Releases connections that stay open between calls. */
  close?(): void;
}

/** The search for an agent card, as interceptors see it. */
export type CardSearch = Call & { readonly name: `GET ${string}` };

/** Stands between the client and the transport, at every call. */
export type Interceptor = CallInterceptor<Call>;

/** An interface of an agent, as its card lists it. */
export interface AgentInterface {
  readonly url: string;
  readonly binding: string;
  /** The version of the protocol that the interface speaks. */
  readonly version: string;
  /** The tenant that requests to the interface name. */
  readonly tenant: string | undefined;
  /** Set if the interface is not at an origin that headers may go to: a transport must send none of its own, either. */
  readonly isForeign?: true;
}

/** Opens transports of one binding. */
export interface TransportFactory {
  /** The name of the binding, as agent cards have it. */
  readonly binding: string;
  /** The version that its transports speak; absent where that is the client's. */
  readonly version?: string;
  /** Returns a transport to the interface. It need not connect before the first call. */
  open(target: AgentInterface): Transport;
}

/** What a {@link TransportError} says besides its message. */
export interface TransportErrorOptions {
  readonly url: string;
  readonly status?: number | undefined;
  /** Whether the agent has certainly not seen the request. */
  readonly unsent?: boolean;
  readonly cause?: unknown;
}

/** Thrown where the agent could not be reached, or where its response is not one of the protocol. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** What was called. */
  readonly url: string;
  /** The HTTP status of the response, where there was one. */
  readonly status: number | undefined;
  /** Set if the transport states that the agent has not seen the request. It never says more than `isUnsent(error)`. */
  readonly unsent: true | undefined;

  constructor(message: string, options: TransportErrorOptions) {
    super(message, options);
    this.url = options.url;
    this.status = options.status;
    this.unsent = options.unsent === true ? true : undefined;
  }
}

/** Names the tenant in the request, or in each of them, where the request has such a field and it is empty. */
export function withTenant(call: Call, field: string | undefined, tenant: string | undefined): Call {
  const { operation, request } = call;
  if (!field || !tenant || !operation.tenant) return call;
  const fill = (value: unknown): unknown => (isObject(value) && !value[field] ? { ...value, [field]: tenant } : value);
  return { ...call, request: isAsyncIterable(request) ? mapped(request, fill) : fill(request) };
}

/** Returns a request that says what its absence means: with `true` wherever the operation has that and it is absent. */
export function spelledOut(request: unknown, { trueIfAbsent = [] }: Pick<Operation, "trueIfAbsent">): unknown {
  return isObject(request) ? trueIfAbsent.reduce(withTrue, request) : request;
}

function withTrue(value: unknown, path: readonly string[]): unknown {
  const [key, rest] = [path.at(0), path.slice(1)];
  if (key === undefined) return value ?? true;
  if (value === undefined) return { [key]: withTrue(undefined, rest) };
  return isObject(value) ? { ...value, [key]: withTrue(value[key], rest) } : value;
}

/** Returns all headers with their names in lower case; of those that have the same name then, the last one stays. */
export function lowerCaseNames(...all: (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const entries = all.flatMap((headers = {}) => Object.entries(headers));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
