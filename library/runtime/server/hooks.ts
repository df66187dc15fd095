import { log, notify } from "../base/async.js";
import type { DeviationOptions } from "../protocol/deviations.js";
import type { A2AError } from "../protocol/error.js";
import type { CallInterceptor } from "../protocol/interceptor.js";
import type { Operation } from "../protocol/operation.js";
import type { CallContext, Caller, ServerCall } from "./context.js";
import type { ServerExtension } from "./extension.js";
import type { ServedVersion } from "./adapter.js";
import type { ErrorSubject } from "./host.js";
import type { RequestReport } from "./observer.js";
import type { RateOptions } from "./rates.js";
import type { NoUser } from "./user.js";

/**
 * Options of a server for all of its calls, on any binding. `User` is the result of `authenticate`,
 * and `Call` is the call that hooks and interceptors receive.
 */
export interface CoreOptions<
  User = unknown,
  Call = ServerCall<NoInfer<User>>,
> extends DeviationOptions {
  /**
   * Authenticates the caller from the head of the request. Called before the body is read and
   * before any other check, so that unknown callers do not get any information. The result is
   * `user` in the context. The call is rejected as unauthenticated if the result does not identify
   * a user: `undefined`, `null`, `false`, `0`, `NaN`, an empty string, or an object with such an
   * `id`. To reject the call with a different error, throw an {@link A2AError}. Any other thrown
   * value is an internal error.
   */
  readonly authenticate?: (caller: Caller) => User | NoUser | Promise<User | NoUser>;
  /**
   * Admits callers even if `authenticate` returns no user for them. Their `user` is this value,
   * which may be `null`, and `isAnonymous` of their context is `true`. Without this option, or if
   * it is `undefined`, such callers are rejected.
   */
  readonly anonymous?: User;
  /** Limits for the rate of calls from each user and from each address; none by default. */
  readonly rates?: RateOptions<NoInfer<User>>;
  /** Options for long-lived streams. */
  readonly streams?: StreamOptions;
  /**
   * The `WWW-Authenticate` header of a response to a call without credentials. By default, it names
   * the HTTP authentication schemes that the card requires, and otherwise `Bearer`.
   */
  readonly challenge?: string;
  /**
   * Decides whether a user may make this call. Called with the checked request. To reject the call,
   * throw an error of the protocol, such as the error for missing permission. The result is
   * ignored.
   */
  authorize?(call: Call): unknown;
  /** Interceptors for every call that is not rejected. The first interceptor is the outermost. */
  readonly interceptors?: readonly CallInterceptor<Call, ServerCall>[];
  /**
   * Extensions of the protocol that the server supports. The agent card declares these extensions,
   * and a call activates the extensions that it requests.
   */
  readonly extensions?: readonly ServerExtension[];
  /**
   * The version of a call that does not specify one. By default, the version that the protocol
   * defines.
   */
  readonly assumeVersion?: string;
  /**
   * Additional protocol versions to serve. Pass the adapters exported from `versions/`. If a
   * version is a string such as `1.1`, its calls are accepted without conversion, and get responses
   * in the agent's version.
   */
  readonly versions?: readonly (string | ServedVersion)[];
  /** Whether to check the responses of the service before they are sent; `true` by default. */
  readonly validateResponses?: boolean;
  /**
   * Receives errors that callers do not see: exceptions that the service throws, and invalid
   * responses. By default, they are written to `console.error`. The context is absent if the call
   * failed before the context was created. `subject` contains the ids of the object that the error
   * is about, if they are known.
   */
  onError?(
    error: unknown,
    context: CallContext<NoInfer<User>> | undefined,
    subject: ErrorSubject,
  ): unknown;
  /**
   * Receives each call that is rejected before the interceptors, because access is denied, the body
   * is unreadable, the operation is unknown, the version is unsupported, or the request is invalid.
   * The operation is absent if the call failed before the operation was known.
   */
  onRefused?(error: A2AError, caller: Caller, operation: Operation | undefined): unknown;
  /**
   * Receives one report about each request, after its response has ended. This includes rejected
   * requests, requests for the agent card and for unknown paths, and requests whose callers
   * disconnected. If this callback throws, the error is written to `console.error`.
   */
  observe?(report: RequestReport<NoInfer<User>>): unknown;
}

/** Options for long-lived streams. */
export interface StreamOptions {
  /**
   * Interval in milliseconds at which `authenticate` is called again for a stream, with the headers
   * of its request. The stream ends with an error if the caller is rejected, for example because
   * its credentials have expired or were revoked. Default: never.
   */
  readonly reauthenticateMs?: number;
}

/** Passes errors and rejected calls to the user's hooks. If a hook throws, no call is affected. */
export class Reporter {
  readonly #options: Pick<CoreOptions, "onError" | "onRefused">;

  constructor(options: Pick<CoreOptions, "onError" | "onRefused">) {
    this.#options = options;
  }

  /** Reports an error that callers do not see. Never throws. */
  error(error: unknown, context?: CallContext, subject: ErrorSubject = {}): void {
    const options = this.#options;
    if (options.onError === undefined) log(error);
    else notify(() => options.onError?.(error, context, subject));
  }

  /** Reports a rejected call. Never throws. */
  refused(error: A2AError, caller: Caller, operation: Operation | undefined): void {
    const options = this.#options;
    if (options.onRefused !== undefined)
      notify(() => options.onRefused?.(error, caller, operation));
  }
}
