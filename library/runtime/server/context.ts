import type { CallHeaders, Peer } from "../protocol/headers.js";
import type { CallInterceptor } from "../protocol/interceptor.js";
import type { Operation } from "../protocol/operation.js";
import type { ContextValues } from "./values.js";

/** Caller that requests the agent card. */
export interface CardCaller {
  readonly headers: CallHeaders;
}

/**
 * Facts about a caller from the head of the request. They are available before the body is read.
 */
export interface Caller extends CardCaller {
  /**
   * The other end of the connection, for example to count failed attempts by address; `undefined`
   * if it is unknown.
   */
  readonly peer: Peer | undefined;
  /**
   * The query of the request's URL, which may contain an API key; `undefined` over transports
   * without URLs.
   */
  readonly query?: string | undefined;
  /** The name of the call's binding, as used in agent cards. */
  readonly binding: string;
  /** Aborted when the caller disconnects before the response is complete. */
  readonly signal: AbortSignal;
  /**
   * Time at which the caller stops waiting, in milliseconds since 1970; `undefined` if the caller
   * has not sent a time-out. Only gRPC has a header for it, `grpc-timeout`.
   */
  readonly deadline?: number | undefined;
  /** Values that hooks, interceptors and the service share. */
  readonly values: ContextValues;
}

/**
 * Facts about a call, in addition to its request. `User` is the type of the result of
 * `authenticate`.
 */
export interface CallContext<User = unknown> extends Caller {
  readonly operation: Operation;
  /** The protocol version of the call: `Major.Minor`. */
  readonly version: string;
  /** The URIs of the extensions that the caller requests. */
  readonly extensions: readonly string[];
  /** The tenant in the request. */
  readonly tenant: string | undefined;
  /** The result of `authenticate`, or the option `anonymous` for callers without a user. */
  readonly user: User;
  /** Whether the caller is unknown: `authenticate` is absent, or it returned no user. */
  readonly isAnonymous: boolean;
  /**
   * Headers, or gRPC metadata, to add to the response, before the first response of a stream.
   * Headers of the transport, such as `content-type`, are ignored. The values of names that end with
   * `-bin` are base64.
   */
  readonly responseHeaders: Headers;
  /**
   * Trailers to send after the last response, or with the error. Over HTTP+JSON and JSON-RPC, they
   * are headers that begin with `trailer-`, and streams omit them.
   */
  readonly responseTrailers: Headers;
  /**
   * Adds an extension to the response header that lists the active extensions. A stream must
   * activate its extensions before its first event. Throws a `TypeError` if `uri` is invalid.
   */
  activateExtension(uri: string): void;
}

/** An accepted call with its checked request. */
export interface ServerCall<User = unknown> {
  /** The name of the operation. */
  readonly name: string;
  readonly operation: Operation;
  /** The request, or an `AsyncIterable` of requests if the operation streams them. */
  readonly request: unknown;
  readonly context: CallContext<User>;
}

/** Wraps every accepted call, between the server's transports and the service. */
export type ServerInterceptor<User = unknown> = CallInterceptor<ServerCall<User>, ServerCall>;
