/**
 * Stands between the two ends of a call, on a client or on a server. It can change the call, call `next` with it any
 * number of times or respond itself, and sees the checked response, every event of a stream, and what is thrown. `Next`
 * is what `next` takes, so that who asks less of a call than others stands in their place.
 */
export interface CallInterceptor<in Call, Next = Call> {
  /** Handles operations with one response. */
  unary?(call: Call, next: (call: Next) => Promise<unknown>): Promise<unknown>;
  /** Handles operations with any number of responses; most easily written as an async generator. */
  stream?(call: Call, next: (call: Next) => AsyncIterable<unknown>): AsyncIterable<unknown>;
}

/**
 * Puts interceptors around `last`, which makes a unary call; the first one is the outermost. The result rejects with a
 * `TypeError` where one of them returns nothing.
 */
export function interceptUnary<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => Promise<unknown>,
): (call: Call) => Promise<unknown> {
  return interceptors.reduceRight((next, interceptor) => {
    const guarded = (call: Call): Promise<unknown> => {
      const response = next(call);
      // An interceptor may drop it, and a rejection that nobody handles would end the process.
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
 * Puts interceptors around `last`, which makes a streaming call; the first one is the outermost. Throws a `TypeError`
 * where one of them returns nothing.
 */
export function interceptStream<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => AsyncIterable<unknown>,
): (call: Call) => AsyncIterable<unknown> {
  return interceptors.reduceRight(
    (next, interceptor) => (call) =>
      interceptor.stream === undefined ? next(call) : given(interceptor.stream(call, next), "stream"),
    last,
  );
}

/** Returns what an interceptor returned. Throws a `TypeError` where that is nothing. */
function given<T>(result: T, method: keyof CallInterceptor<unknown>): T {
  if (result !== undefined) return result;
  throw new TypeError(`The method ${method} of an interceptor returned nothing: return what next(call) returns`);
}
