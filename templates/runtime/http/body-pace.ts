import { waitUntil } from "../base/pace.js";
import { isObject } from "../base/json.js";

/** Size in bytes above which a body counts as large, because it blocks the event loop for several milliseconds. */
const largeBytes = 262_144;

/** Assumed size of a body without a declared length, until it has been read. */
const unknownBytes = 1_048_576;

/** Milliseconds by which the bodies of a caller may be ahead of its rate. */
const burstMs = 1_000;

/** Maximum waiting time of a body in milliseconds. A request that would wait longer is rejected. */
const maxWaitMs = 30_000;

/**
 * Minimum time between large bodies of a caller, as a multiple of the processing time: the bodies of one caller take at
 * most a twentieth of the process's time.
 */
const idleRatio = 19;

/**
 * Maximum processing time that is counted for one body. The limit is necessary because the process may have been
 * suspended.
 */
const maxMeasuredMs = 500;

/** Maximum number of callers in memory. Above this limit, callers without outstanding bodies are removed. */
const maxCallers = 10_000;

/**
 * Limits the rate of each caller's large bodies. Parsing and checking a large body blocks the event loop for up to
 * hundreds of milliseconds, so a series of large bodies would delay all other callers. A body whose size is known is
 * not read while it waits. Each waiting body has a separate timer, because some platforms cancel the timers of a
 * request when the request ends.
 */
export class BodyPace {
  readonly #bytesPerMs: number;
  /** For each caller, the time until which its earlier bodies use up its rate. */
  readonly #paidAt = new Map<unknown, number>();

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** Returns the size to count for a body, given its declared length if it has one. Small bodies count as zero. */
  static bytesOf(declared: string | undefined): number {
    if (declared === undefined) return unknownBytes;
    const bytes = Number(declared);
    return bytes > largeBytes ? bytes : 0;
  }

  /**
   * Counts a body of a caller and waits until it may be read. Returns `undefined` if the body may be read immediately,
   * and `false` if too many of the caller's bodies are already waiting.
   */
  enter(caller: unknown, bytes: number): Promise<void> | false | undefined {
    if (bytes === 0) return undefined;
    const key = keyOf(caller);
    const now = performance.now();
    const paidAt = Math.max(this.#paidAt.get(key) ?? 0, now);
    // Check this before counting the body, because rejected bodies must not extend the waiting time of their caller.
    if (paidAt - now > maxWaitMs) return false;
    if (this.#paidAt.size >= maxCallers) this.#drop(now);
    this.#paidAt.set(key, paidAt + bytes / this.#bytesPerMs);
    return waitUntil(paidAt - burstMs);
  }

  /**
   * Corrects the counted size of a body that has been read. Returns a promise if the caller must wait, and otherwise
   * `undefined`.
   */
  correct(caller: unknown, bytes: number, counted: number): Promise<void> | undefined {
    const actual = bytes > largeBytes ? bytes : 0;
    // A body with a declared small length was not counted, and cannot be longer than declared.
    if (actual === counted || counted === 0) return undefined;
    const key = keyOf(caller);
    const paidAt = (this.#paidAt.get(key) ?? 0) + (actual - counted) / this.#bytesPerMs;
    this.#paidAt.set(key, paidAt);
    return actual > counted ? waitUntil(paidAt - actual / this.#bytesPerMs - burstMs) : undefined;
  }

  /**
   * Measures how long a caller's body blocks the event loop from now on, and delays the caller's next large bodies in
   * proportion. Until the next timer runs, the process only works on this body, or on calls that this body has also
   * delayed. On a busy machine, the measured time is longer than an estimate based on the size.
   */
  measure(caller: unknown, bytes: number): void {
    if (bytes <= largeBytes) return;
    const since = performance.now();
    // The timer runs after the synchronous parsing and checking of this body.
    setTimeout(() => {
      const now = performance.now();
      const key = keyOf(caller);
      this.#paidAt.set(
        key,
        Math.max(this.#paidAt.get(key) ?? 0, now) + idleRatio * Math.min(now - since, maxMeasuredMs),
      );
    }, 0);
  }

  #drop(now: number): void {
    for (const [key, paidAt] of this.#paidAt) if (paidAt <= now) this.#paidAt.delete(key);
  }
}

/** Returns the key of a caller: the id of the user, or the user itself. */
function keyOf(caller: unknown): unknown {
  return isObject(caller) ? (caller["id"] ?? caller) : caller;
}
