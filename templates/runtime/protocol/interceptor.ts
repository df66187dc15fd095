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

/** Puts interceptors around `last`, which makes a unary call; the first one is the outermost. */
export function interceptUnary<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => Promise<unknown>,
): (call: Call) => Promise<unknown> {
  return interceptors.reduceRight((next, interceptor) => (call) => interceptor.unary?.(call, next) ?? next(call), last);
}

/** Puts interceptors around `last`, which makes a streaming call; the first one is the outermost. */
export function interceptStream<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => AsyncIterable<unknown>,
): (call: Call) => AsyncIterable<unknown> {
  return interceptors.reduceRight(
    (next, interceptor) => (call) => interceptor.stream?.(call, next) ?? next(call),
    last,
  );
}
