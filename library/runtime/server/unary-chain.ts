import { isThenable } from "../base/async.js";
import { type CallInterceptor, given } from "../protocol/interceptor.js";

/**
 * Wraps interceptors around `last`, like `interceptUnary`, but with fewer promises, because servers
 * call the chain for each request. `last` may return a response without a promise, and throw its
 * error. The caller must await the result, and pass it to {@link given}. Returns `undefined` if no
 * interceptor handles unary calls.
 */
export function chainUnary<Call>(
  interceptors: readonly CallInterceptor<Call>[],
  last: (call: Call) => unknown,
): ((call: Call) => unknown) | undefined {
  const active = interceptors.filter((interceptor) => interceptor.unary !== undefined);
  if (active.length === 0) return undefined;
  return active.reduceRight((next, interceptor, index) => {
    // The responses of inner interceptors are checked here, and the response of the outermost one
    // by the caller.
    const inner =
      index === active.length - 1 ? next : async (call: Call) => given(await next(call), "unary");
    const guarded = (call: Call): Promise<unknown> => promised(inner, call);
    return (call) => interceptor.unary?.(call, guarded);
  }, last);
}

/** Returns the response of a call as a promise that an interceptor may ignore. */
function promised<Call>(next: (call: Call) => unknown, call: Call): Promise<unknown> {
  try {
    const response = next(call);
    if (!isThenable(response)) return Promise.resolve(response);
    const promise = Promise.resolve(response);
    // Without a handler, a rejection that an interceptor ignores would end the process.
    promise.catch(ignore);
    return promise;
  } catch (thrown) {
    const promise = new Promise<never>(() => {
      throw thrown;
    });
    promise.catch(ignore);
    return promise;
  }
}

function ignore(): void {
  // The interceptor received the same promise, and handles the rejection if it awaits the promise.
}
