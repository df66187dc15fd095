import { log, notify } from "../base/async.js";
import type { A2AError } from "../protocol/error.js";
import type { CallInterceptor } from "../protocol/interceptor.js";
import type { Operation } from "../protocol/operation.js";
import type { CallContext, Caller, ServerCall } from "./context.js";
import type { ServedVersion } from "./adapter.js";
import type { Nobody } from "./nobody.js";

/**
 * How an agent treats its calls, whatever binding they come in on. `User` is what `authenticate` returns, and `Call` what
 * hooks and interceptors know of a call.
 */
export interface CoreOptions<User = unknown, Call = ServerCall<NoInfer<User>>> {
  /**
   * Identifies the caller from the head of the request: it is called before the body is read, and before anything is
   * checked, so that unknown callers learn nothing. What it returns is `user` in the context. A call is refused with the
   * error for missing credentials if it returns no user: `undefined`, `null`, `false`, `0`, `NaN`, an empty string, or an
   * object with such an `id`. To refuse it with another error, throw one of the protocol. Anything else that it throws
   * is an internal error.
   */
  readonly authenticate?: (caller: Caller) => User | Nobody | Promise<User | Nobody>;
  /**
   * Admits callers for whom `authenticate` returns no user: they get this value as `user`, which may be `null`, and
   * `isAnonymous` of the context is `true`. Without the option such callers are refused.
   */
  readonly anonymous?: User;
  /** Options for streams that last long. */
  readonly streams?: StreamOptions;
  /** The `WWW-Authenticate` that goes with a response for missing credentials; `Bearer` by default. */
  readonly challenge?: string;
  /**
   * Decides whether a user may make this call: it is called with the request, which is checked by then. Throws one of
   * the errors of the protocol, such as the one for a lack of permission, to refuse it. What it returns does not
   * matter.
   */
  authorize?(call: Call): unknown;
  /** See every call that is not refused; the first one is the outermost. */
  readonly interceptors?: readonly CallInterceptor<Call, ServerCall>[];
  /** The version of a call that names none; what the protocol says by default. */
  readonly assumeVersion?: string;
  /**
   * Versions to serve besides the one of the agent: what `versions/` of the output has for each. One as `Major.Minor` is
   * let in as it is, and answered in the agent's own.
   */
  readonly versions?: readonly (string | ServedVersion)[];
  /** Whether to check what the service returns before it is sent; `true` by default. */
  readonly validateResponses?: boolean;
  /**
   * Is called with what callers are not told: exceptions of the service, and responses of it that the protocol does not
   * allow. Without it they go to `console.error`. The context is absent where a call failed before it was complete.
   */
  onError?(error: unknown, context: CallContext<NoInfer<User>> | undefined): unknown;
  /**
   * Is called with each call that no interceptor sees because it is refused before: for missing access, a body that
   * cannot be read, an unknown operation, a version that is not served, or a request that is not valid. The operation
   * is absent where the call failed before it was known.
   */
  onRefused?(error: A2AError, caller: Caller, operation: Operation | undefined): unknown;
}

/** Options for streams that last long. */
export interface StreamOptions {
  /**
   * Milliseconds after which `authenticate` is called again for a stream, with the headers that began it, and again after
   * as long. A stream ends with the error if the caller is refused by then: credentials may have expired or been revoked.
   * Never by default.
   */
  readonly reauthenticateMs?: number;
}

/** Hands errors and refused calls to the hooks of a user, which may throw or reject without harm to any call. */
export class Reporter {
  readonly #options: Pick<CoreOptions, "onError" | "onRefused">;

  constructor(options: Pick<CoreOptions, "onError" | "onRefused">) {
    this.#options = options;
  }

  /** Reports an error that no caller is told about. Never throws. */
  error(error: unknown, context?: CallContext): void {
    const options = this.#options;
    if (options.onError === undefined) log(error);
    else notify(() => options.onError?.(error, context));
  }

  /** Reports a call that is refused. Never throws. */
  refused(error: A2AError, caller: Caller, operation: Operation | undefined): void {
    const options = this.#options;
    if (options.onRefused !== undefined) notify(() => options.onRefused?.(error, caller, operation));
  }
}
