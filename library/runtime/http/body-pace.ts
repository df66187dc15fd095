import { waitUntil } from "../base/pace.js";
import type { ErrorTable } from "../protocol/error.js";
import type { CallHeaders, Peer } from "../protocol/headers.js";

/**
 * Size in bytes above which a body counts as large, because it blocks the event loop for several
 * milliseconds.
 */
export const largeBytes = 262_144;

/**
 * Size in bytes up to which a received message is decoded even if its caller has used up its rate.
 */
export const smallBytes = 16_384;

/** Default rate at which one caller may send large bodies, in bytes per second. */
export const bytesPerSecond = 16_777_216;

/** Milliseconds by which the bodies of a caller may be ahead of its rate. */
const burstMs = 1_000;

/** Maximum waiting time of a body in milliseconds. A request that would wait longer is rejected. */
const maxWaitMs = 30_000;

/**
 * Maximum waiting time of a body that has been received, and therefore takes memory while it waits.
 */
const maxHeldMs = 2_000;

/**
 * Minimum time between large bodies of a caller, as a multiple of the processing time: the bodies
 * of one caller take at most a twentieth of the process's time.
 */
const idleRatio = 19;

/**
 * Maximum processing time that is counted for one body. The limit is necessary because the process
 * may have been suspended.
 */
const maxMeasuredMs = 500;

/**
 * Maximum number of callers in memory. Above this limit, callers without outstanding bodies are
 * removed.
 */
const maxCallers = 10_000;

/** Facts that identify the caller of a request. */
export interface PacedCaller {
  /** The user of the call; `undefined` for anonymous callers. */
  readonly user: unknown;
  readonly peer?: Peer | undefined;
  readonly headers: CallHeaders;
}

/** The callers of an agent. All bindings of the agent count their large bodies together. */
export interface PacedCallers {
  /** For each key, the time until which the earlier bodies of the caller use up its rate. */
  readonly paidAt: Map<unknown, number>;
  /** Returns the key of a caller; `undefined` if it cannot be distinguished from other callers. */
  keyOf(caller: PacedCaller): unknown;
}

/**
 * Limits the rate of each caller's large bodies. Parsing and checking a large body blocks the event
 * loop for up to hundreds of milliseconds, so a series of large bodies would delay all other
 * callers. A body whose size is known is not read while it waits. Each waiting body has a separate
 * timer, because some platforms cancel the timers of a request when the request ends. Callers
 * without a key are not limited, because one of them could delay all others.
 */
export class BodyPace {
  readonly #bytesPerMs: number;
  readonly #callers: PacedCallers;

  constructor(bytesPerSecond: number, callers: PacedCallers) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
    this.#callers = callers;
  }

  /**
   * Counts a body of a caller and waits until it may be read. Small bodies are not counted. Returns
   * `undefined` if the body may be read immediately, and `false` if too many of the caller's bodies
   * are already waiting.
   */
  enter(caller: PacedCaller, bytes: number): Promise<void> | false | undefined {
    return bytes > largeBytes ? this.#count(caller, bytes, maxWaitMs) : undefined;
  }

  /**
   * Like {@link enter}, for a message that has already been received. A compressed message is much
   * shorter than its content, so smaller messages wait too if earlier messages have used up the
   * caller's rate. A message that would wait longer than `maxMs` is rejected.
   */
  enterReceived(
    caller: PacedCaller,
    bytes: number,
    maxMs: number = maxHeldMs,
  ): Promise<void> | false | undefined {
    if (bytes <= smallBytes) return undefined;
    const counted = bytes > largeBytes ? bytes : 0;
    return this.#count(caller, counted, maxMs);
  }

  /**
   * Like {@link enterReceived}, for a message of a stream: it waits as long as necessary, because
   * the transport receives few messages before they are read.
   */
  enterStreamed(caller: PacedCaller, bytes: number): Promise<void> | false | undefined {
    return this.enterReceived(caller, bytes, Infinity);
  }

  /**
   * Returns a function that counts a body without a declared length while the body arrives, with
   * the size of each chunk. Its results are the results of {@link enter}. A body that never arrives
   * is not counted.
   */
  arrival(caller: PacedCaller): (bytes: number) => Promise<void> | false | undefined {
    let size = 0;
    let counted = 0;
    return (bytes) => {
      size += bytes;
      if (size <= largeBytes) return undefined;
      const fresh = size - counted;
      counted = size;
      return this.#count(caller, fresh, maxWaitMs);
    };
  }

  /**
   * Measures how long a caller's large body blocks the event loop from `since` on, and delays the
   * caller's next large bodies in proportion. Until the next timer runs, the process only works on
   * this body, or on calls that this body has also delayed. On a busy machine, the measured time is
   * longer than an estimate based on the size.
   */
  measure(caller: PacedCaller, since: number = performance.now()): void {
    const key = this.#callers.keyOf(caller);
    if (key === undefined) return;
    // The timer runs after the synchronous parsing and checking of this body.
    setTimeout(() => {
      const now = performance.now();
      const { paidAt } = this.#callers;
      const start = Math.max(paidAt.get(key) ?? 0, now);
      const measured = Math.min(now - since, maxMeasuredMs);
      paidAt.set(key, start + idleRatio * measured);
    }, 0);
  }

  #count(caller: PacedCaller, bytes: number, maxMs: number): Promise<void> | false | undefined {
    const key = this.#callers.keyOf(caller);
    if (key === undefined) return undefined;
    const all = this.#callers.paidAt;
    const now = performance.now();
    const paidAt = Math.max(all.get(key) ?? 0, now);
    // Check this before counting the body, because rejected bodies must not extend the waiting time
    // of their caller.
    if (paidAt - now > maxMs) return false;
    if (all.size >= maxCallers) this.#drop(now);
    all.set(key, paidAt + bytes / this.#bytesPerMs);
    return waitUntil(paidAt - burstMs);
  }

  #drop(now: number): void {
    const all = this.#callers.paidAt;
    for (const [key, paidAt] of all) if (paidAt <= now) all.delete(key);
  }
}

/** Returns the error for a caller with too many large requests. */
export function tooMany(errors: ErrorTable): Error {
  const codes = {
    httpStatus: 429,
    grpcStatus: "RESOURCE_EXHAUSTED",
    retryAfterSeconds: 5,
  } as const;
  return new errors.invalidRequest(tooManyText, codes);
}

const tooManyText =
  "Too many large requests of this caller are waiting: send fewer at the same time";
