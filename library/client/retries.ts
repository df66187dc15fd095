import { A2AError } from "../errors.js";
import { type Call, type Interceptor, TransportError } from "../runtime/protocol/transport.js";
import { sleep } from "./pace.js";

/** Options for {@link withRetryAfter}. */
export interface RetryAfterOptions {
  /** Maximum number of retries of a call; 2 by default. */
  readonly maxRetries?: number;
  /**
   * Maximum time to wait before a retry, in milliseconds; 30,000 by default. If the agent requests
   * a longer time, the call fails.
   */
  readonly maxWaitMs?: number;
}

/**
 * Returns an interceptor that repeats a call after the time that the agent specifies in
 * `Retry-After`. Only repeats operations that do not change anything, and does not repeat a stream
 * that has yielded an event. The time-out of the call includes the waiting time.
 *
 * @example
 * const client = await connect(url, { interceptors: [withRetryAfter()] });
 */
export function withRetryAfter({
  maxRetries = 2,
  maxWaitMs = 30_000,
}: RetryAfterOptions = {}): Interceptor {
  /** Waits until the call may be repeated. Throws the error if the call must not be repeated. */
  const wait = async (
    { operation, signal }: Call,
    error: unknown,
    retries: number,
  ): Promise<void> => {
    const seconds = retryAfterOf(error);
    const isBounded = seconds !== undefined && seconds * 1_000 <= maxWaitMs;
    if (operation.safe !== true || !isBounded || retries >= maxRetries) throw error;
    // Add a random time, so that callers that were rejected at the same time do not all retry at
    // the same time.
    await sleep(seconds * 1_000 * (1 + Math.random() / 10), signal ?? new AbortController().signal);
  };
  return {
    async unary(call, next) {
      for (let retries = 0; ; retries += 1) {
        try {
          return await next(call);
        } catch (error) {
          await wait(call, error, retries);
        }
      }
    },
    async *stream(call, next) {
      for (let retries = 0; ; retries += 1) {
        let isSilent = true;
        try {
          for await (const event of next(call)) {
            isSilent = false;
            yield event;
          }
          return;
        } catch (error) {
          if (!isSilent) throw error;
          await wait(call, error, retries);
        }
      }
    },
  };
}

/**
 * Returns the seconds after which a call may be repeated; `undefined` if the agent did not specify
 * a time.
 */
export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof A2AError || error instanceof TransportError
    ? error.retryAfterSeconds
    : undefined;
}
