import { sleep } from "../base/pace.js";
import { parseDuration } from "../base/time.js";
import { A2AError } from "../protocol/error.js";
import { type Call, type Interceptor, TransportError } from "../protocol/transport.js";
import { repeating } from "./repeat.js";
import { wasNotSent } from "./unsent.js";

/** Options for {@link withRetryAfter}. */
export interface RetryAfterOptions {
  /** Maximum number of retries of a call; 2 by default. */
  readonly maxRetries?: number;
  /**
   * Maximum time to wait before a retry, in milliseconds; 30,000 by default. If the server requests
   * a longer time, the call fails.
   */
  readonly maxWaitMs?: number;
  /**
   * Returns the milliseconds to wait before a retry if the server does not specify a time, given the
   * number of previous retries. Applies to lost connections and to errors with the HTTP status 408,
   * 429, 502, 503 or 504, also over gRPC: `UNAVAILABLE` has the status 503. By default, these calls
   * fail.
   */
  readonly delayMs?: ((retries: number) => number) | undefined;
  /**
   * Returns whether a call may be repeated. By default, whether its operation changes nothing: its
   * HTTP method is GET. A call that has certainly not reached the server is always repeated.
   */
  readonly isRepeatable?: ((call: Call) => boolean) | undefined;
}

/**
 * Returns an interceptor that repeats a call after the time that the server specifies in
 * `Retry-After`, or in a `RetryInfo` in the details of its error. Only repeats operations that do
 * not change anything, unless `isRepeatable` permits it, and does not repeat a stream that has
 * yielded an event or a call that streams requests. The time-out of the call includes the waiting
 * time.
 *
 * @example
 * const interceptors = [withRetryAfter({ delayMs: (retries) => 200 * 2 ** retries })];
 */
export function withRetryAfter({
  maxRetries = 2,
  maxWaitMs = 30_000,
  delayMs,
  isRepeatable = ({ operation }) => operation.safe === true,
}: RetryAfterOptions = {}): Interceptor {
  return repeating((call) => async (failures, error) => {
    if (failures === 0) return call;
    const retries = failures - 1;
    const seconds = retryAfterOf(error) ?? retryDelayIn(error);
    const ms = seconds === undefined ? isTemporary(error) && delayMs?.(retries) : seconds * 1_000;
    const isBounded = typeof ms === "number" && ms <= maxWaitMs;
    if (!isBounded || retries >= maxRetries || !(wasNotSent(error) || isRepeatable(call)))
      throw error;
    // Add a random time, so that callers that were rejected at the same time do not all retry at
    // the same time.
    await sleep(ms * (1 + Math.random() / 10), call.signal ?? new AbortController().signal);
    return call;
  });
}

/**
 * Returns the seconds after which a call may be repeated; `undefined` if the server did not specify
 * a time.
 */
export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof A2AError || error instanceof TransportError
    ? error.retryAfterSeconds
    : undefined;
}

/** Returns the seconds of a `google.rpc.RetryInfo` in the details of an error. */
function retryDelayIn(error: unknown): number | undefined {
  const details = error instanceof A2AError ? error.details : [];
  const info = details.find((detail) => detail["@type"].endsWith("/google.rpc.RetryInfo"));
  const delay = info?.["retryDelay"];
  const duration = typeof delay === "string" ? parseDuration(delay) : undefined;
  return duration && Math.max(0, duration.seconds + duration.nanos / 1e9);
}

/** HTTP statuses of errors that may not occur again. */
const temporary: readonly (number | undefined)[] = [408, 429, 502, 503, 504];

function isTemporary(error: unknown): boolean {
  if (error instanceof A2AError) return temporary.includes(error.httpStatus);
  if (!(error instanceof TransportError)) return false;
  // Without a status, the cause is a lost connection. Other calls cannot be sent at all.
  const { status, cause } = error;
  return status === undefined ? cause !== undefined : temporary.includes(status);
}
