import type { CallHeaders, Peer } from "../protocol/headers.js";
import type { CallInterceptor } from "../protocol/interceptor.js";
import type { Operation } from "../protocol/operation.js";
import type { ContextValues } from "./values.js";

/** Who asks for the agent card, as far as an agent can know. */
export interface CardCaller {
  readonly headers: CallHeaders;
}

/** Who calls, as far as the head of the request says: the first that is known of a call, before its body is read. */
export interface Caller extends CardCaller {
  /** The other end of the connection, such as to count failed attempts by address; `undefined` if it is unknown. */
  readonly peer: Peer | undefined;
  /** The query of the request's URL, such as for a key in it; `undefined` over transports without URLs. */
  readonly query?: string | undefined;
  /** The name of the binding that the call came in on, as agent cards spell it. */
  readonly binding: string;
  /** Fires when the caller goes away before the response is complete. */
  readonly signal: AbortSignal;
  /** What hooks and interceptors hand on to each other and to the service. */
  readonly values: ContextValues;
}

/** What the agent knows about a call besides its request. `User` is the type of what `authenticate` returns. */
export interface CallContext<User = unknown> extends Caller {
  readonly operation: Operation;
  /** The version of the protocol that the call is held in: `Major.Minor`. */
  readonly version: string;
  /** The URIs of the extensions that the caller asked for. */
  readonly extensions: readonly string[];
  /** The tenant that the request names. */
  readonly tenant: string | undefined;
  /** What the `authenticate` hook returned, or the option `anonymous` for callers without a user. */
  readonly user: User;
  /** Whether nothing says who calls: no hook authenticates callers, or `authenticate` returned no user. */
  readonly isAnonymous: boolean;
  /**
   * Announces to the caller that an extension is in use. The response names it in its headers, so a stream has to activate its
   * extensions before its first event. Throws a `TypeError` where `uri` is not a URI.
   */
  activateExtension(uri: string): void;
}

/** A call that may be made, with its request as it was read and checked. */
export interface ServerCall<User = unknown> {
  /** The name of the operation. */
  readonly name: string;
  readonly operation: Operation;
  /** The request; an `AsyncIterable` of requests where the operation streams them. */
  readonly request: unknown;
  readonly context: CallContext<User>;
}

/** Stands between a transport of the server and the service, at every call that is not refused before. */
export type ServerInterceptor<User = unknown> = CallInterceptor<ServerCall<User>, ServerCall>;
