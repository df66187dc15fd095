import { ValidationError } from "../../runtime/schema/schema.js";
import { LookupError, PrivateAddressError, type PushResponse } from "./push-transport.js";

/** How long to go on with a webhook that does not take an event. */
export interface RetryOptions {
  /** How often an event is posted at most; 20 by default, which takes an hour or more. */
  readonly maxAttempts?: number;
  /** The longest time between two attempts, in milliseconds; 10 minutes by default. */
  readonly maxDelayMs?: number;
  /** The longest time before the second attempt, which doubles with each one, in milliseconds; 1,000 by default. */
  readonly firstDelayMs?: number;
}

/** Why an event was not taken. */
export interface Failure {
  /**
   * `gone`: the webhook wants nothing any more, or its version cannot say the event. `refused`: it will most likely
   * never take this. `failed`: it may take it later.
   */
  readonly kind: "gone" | "refused" | "failed";
  readonly reason: unknown;
  /** How long the webhook wants to be left alone. */
  readonly afterMs: number;
  /** Whether the webhook did not respond in time, or its name led nowhere. */
  readonly isSilent?: boolean;
}

/** Attempts with an event that is refused. */
const maxRefusals = 3;

const tryAgain: readonly number[] = [408, 425, 429];

/** Returns why a response does not mean that the event was taken; `undefined` for one of the statuses 200 to 299. */
export function failureOf({ status, retryAfter }: PushResponse, now: number): Failure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isRefusal = status >= 300 && status < 500 && !tryAgain.includes(status);
  const kind = status === 410 ? "gone" : isRefusal ? "refused" : "failed";
  const reason = new Error(`The webhook answered with the HTTP status ${String(status)}`);
  return { kind, reason, afterMs: millisecondsOf(retryAfter, now) };
}

/** Returns why there was no response, or no request. */
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

/** Returns the milliseconds until the next attempt; `undefined` where there is none after so many failures. */
export function delayAfter(
  { kind, afterMs }: Failure,
  failures: number,
  { maxAttempts = 20, maxDelayMs = 600_000, firstDelayMs = 1_000 }: RetryOptions,
  random: () => number,
): number | undefined {
  const most = kind === "gone" ? 1 : kind === "refused" ? Math.min(maxRefusals, maxAttempts) : maxAttempts;
  if (failures >= most) return undefined;
  const longest = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
  return Math.min(Math.max(random() * longest, afterMs), maxDelayMs);
}

/** Reads `Retry-After`: seconds, or a date, which begins with the name of a day. */
function millisecondsOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = /^\s*[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}
