/**
 * Wraps every call of a client or a server. An interceptor can change the call, call `next` any
 * number of times, or respond without calling `next`. It receives the checked response, every event
 * of a stream, and thrown errors. `Next` is the parameter type of `next`, which may be more general
 * than `Call`.
 */
export interface CallInterceptor<in Call, Next = Call> {
  /** Handles operations with one response. */
  unary?(call: Call, next: (call: Next) => Promise<unknown>): Promise<unknown>;
  /**
   * Handles operations with a stream of responses. An async generator is the simplest
   * implementation.
   */
  stream?(call: Call, next: (call: Next) => AsyncIterable<unknown>): AsyncIterable<unknown>;
}

/**
 * Wraps interceptors around `last`, which makes a unary call. The first interceptor is the
 * outermost. The returned function rejects with a `TypeError` if an interceptor returns
 * `undefined`.
 */
export function interceptUnary<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => Promise<unknown>,
): (call: Call) => Promise<unknown> {
  return interceptors.reduceRight((next, interceptor) => {
    const guarded = (call: Call): Promise<unknown> => {
      const response = next(call);
      // An interceptor may ignore the promise. Without a handler, its rejection would end the
      // process.
      response.catch(() => undefined);
      return response;
    };
    return async (call) => {
      if (interceptor.unary === undefined) return next(call);
      return given(await interceptor.unary(call, guarded), "unary");
    };
  }, last);
}

/**
 * Wraps interceptors around `last`, which makes a streaming call. The first interceptor is the
 * outermost. The returned function throws a `TypeError` if an interceptor returns `undefined`.
 */
export function interceptStream<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => AsyncIterable<unknown>,
): (call: Call) => AsyncIterable<unknown> {
  return interceptors.reduceRight(
    (next, interceptor) => (call) =>
      interceptor.stream === undefined
        ? next(call)
        : given(interceptor.stream(call, next), "stream"),
    last,
  );
}

/** Returns the result of an interceptor's `method`. Throws a `TypeError` if it is `undefined`. */
export function given<T>(result: T, method: keyof CallInterceptor<unknown>): T {
  if (result !== undefined) return result;
  throw new TypeError(`No response from interceptor method ${method}: return it`);
}
