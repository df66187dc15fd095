import type { Call, Interceptor } from "../protocol/transport.js";

/**
 * Returns the call to send after `failures` attempts have failed, the last of them with `error`.
 * The first time, `failures` is 0. Throws `error` if the call must not be repeated.
 */
export type NextAttempt = (failures: number, error: unknown) => Call | Promise<Call>;

/**
 * Returns an interceptor that sends a call until an attempt succeeds, or `begin(call)` throws.
 * Does not repeat a call that streams requests, because they cannot be read again, or a stream that
 * has yielded an event, because its caller would receive the event twice.
 */
export function repeating(begin: (call: Call) => NextAttempt): Interceptor {
  const attemptsOf = (call: Call): NextAttempt => {
    const next = begin(call);
    const { streaming } = call.operation;
    const isOnce = streaming === "client" || streaming === "both";
    return (failures, error) => {
      if (isOnce && failures > 0) throw error;
      return next(failures, error);
    };
  };
  return {
    async unary(call, send) {
      const next = attemptsOf(call);
      let current = await next(0, undefined);
      for (let failures = 1; ; failures += 1) {
        try {
          return await send(current);
        } catch (error) {
          current = await next(failures, error);
        }
      }
    },
    async *stream(call, send) {
      const next = attemptsOf(call);
      let current = await next(0, undefined);
      for (let failures = 1; ; failures += 1) {
        let isSilent = true;
        try {
          for await (const event of send(current)) {
            isSilent = false;
            yield event;
          }
          return;
        } catch (error) {
          if (!isSilent) throw error;
          current = await next(failures, error);
        }
      }
    },
  };
}
