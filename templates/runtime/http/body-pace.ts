import { waitUntil } from "../base/pace.js";
import { isObject } from "../base/json.js";

/** Size in bytes above which a body is large: it blocks the event loop for milliseconds. */
const largeBytes = 262_144;

/** Assumed size of a body without a declared length, until it has been read. */
const unknownBytes = 1_048_576;

/** Time by which a caller may exceed its rate, in milliseconds. */
const burstMs = 1_000;

/** Maximum waiting time of a body in milliseconds. A request that would wait longer is rejected. */
const maxWaitMs = 30_000;

/** Minimum time between large bodies of a caller, as a multiple of the processing time. */
const idleRatio = 3;

/** Maximum processing time that is counted for one body, because the process may have been suspended. */
const maxMeasuredMs = 2_000;

/** Maximum number of callers in memory. Above this limit, callers without outstanding bodies are removed. */
const maxCallers = 10_000;

/**
 * Limits the rate of large bodies of each caller. Parsing and checking such a body blocks the event loop for up to
 * hundreds of milliseconds, so a series of them would delay all other callers. If its size is known, a body is not read
 * while it waits. Each waiting body has a separate timer, because some platforms cancel the timers of a request when
 * the request ends.
 */
export class BodyPace {
  readonly #bytesPerMs: number;
  /** The time at which the bodies of each caller have been worked off. */
  readonly #paidAt = new Map<unknown, number>();

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** Returns the size to count for a body with a declared length, or without one. Small bodies count as zero. */
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
    // Checked before the body is counted: rejected bodies must not extend the waiting time of their caller.
    if (paidAt - now > maxWaitMs) return false;
    if (this.#paidAt.size >= maxCallers) this.#drop(now);
    this.#paidAt.set(key, paidAt + bytes / this.#bytesPerMs);
    return waitUntil(paidAt - burstMs);
  }

  /** Corrects the size of a body that was counted with another size. Returns the same as `enter`. */
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
   * Measures how long a body of a caller blocks the event loop from now on. Until the next timer runs, the only work is
   * the processing of this body, or of a call that is delayed as well. On a busy machine this exceeds an estimate by
   * size.
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
