import { ValidationError } from "../../runtime/schema/schema.js";
import { LookupError, PrivateAddressError, type PushResponse } from "./push-transport.js";

/** Options for retries if a webhook does not accept an event. */
export interface RetryOptions {
  /** Maximum number of attempts for an event; 20 by default, which takes about an hour. */
  readonly maxAttempts?: number;
  /** Maximum delay between two attempts, in milliseconds; 10 minutes by default. */
  readonly maxDelayMs?: number;
  /**
   * Maximum delay before the second attempt, in milliseconds; 1,000 by default. It doubles with
   * each attempt.
   */
  readonly firstDelayMs?: number;
}

/** The reason why an attempt to post an event failed. */
export interface Failure {
  /**
   * `gone`: the webhook no longer accepts events, or its version cannot represent the event.
   * `refused`: the webhook will most likely never accept this event. `failed`: the webhook may
   * accept it later.
   */
  readonly kind: "gone" | "refused" | "failed";
  readonly reason: unknown;
  /** Minimum delay that the webhook requested, in milliseconds. */
  readonly afterMs: number;
  /** `true` if the webhook did not respond in time, or its host name has no address. */
  readonly isSilent?: boolean;
}

/** Maximum number of attempts for an event that a webhook refuses. */
const maxRefusals = 3;

const temporaryStatuses: readonly number[] = [408, 425, 429];

/** Returns the failure that a response indicates, or `undefined` for a status from 200 to 299. */
export function failureOf({ status, retryAfter }: PushResponse, now: number): Failure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isRefusal = status >= 300 && status < 500 && !temporaryStatuses.includes(status);
  const otherKind = isRefusal ? "refused" : "failed";
  const kind = status === 410 ? "gone" : otherKind;
  const reason = new Error(`The webhook responded with HTTP status ${String(status)}`);
  return { kind, reason, afterMs: millisecondsOf(retryAfter, now) };
}

/** Returns the failure for an attempt in which no request was sent or no response arrived. */
export function failureFrom(reason: unknown): Failure {
  const afterMs = reason instanceof LookupError ? reason.afterMs : 0;
  return { kind: kindOf(reason), reason, afterMs, isSilent: afterMs > 0 || isTimeout(reason) };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

function kindOf(reason: unknown): Failure["kind"] {
  if (reason instanceof ValidationError) return "gone";
  return reason instanceof PrivateAddressError ? "refused" : "failed";
}

/**
 * Returns the milliseconds until the next attempt, or `undefined` if the event has failed too
 * often.
 */
export function delayAfter(
  { kind, afterMs }: Failure,
  failures: number,
  { maxAttempts = 20, maxDelayMs = 600_000, firstDelayMs = 1_000 }: RetryOptions,
  random: () => number,
): number | undefined {
  if (kind === "gone" || failures >= maxAttempts) return undefined;
  if (kind === "refused" && failures >= maxRefusals) return undefined;
  const longest = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
  return Math.min(Math.max(random() * longest, afterMs), maxDelayMs);
}

/** Parses `Retry-After`: a number of seconds, or a date that begins with the name of a day. */
function millisecondsOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = /^\s*[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}
