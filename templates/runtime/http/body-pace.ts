import { waitUntil } from "../base/pace.js";
import { isObject } from "../base/json.js";

/** Size of a body above which it is large: such a body keeps the event loop for milliseconds. */
const largeBytes = 262_144;

/** What a body counts as whose size is unknown, until it was read. */
const unknownBytes = 1_048_576;

/** Time for which a caller may be ahead of its rate, in milliseconds. */
const burstMs = 1_000;

/** The longest time that a body may have to wait: a request that waits for longer is refused. */
const maxWaitMs = 30_000;

/** Least time between large bodies of a caller, as a multiple of the time that one took. */
const idleRatio = 3;

/** The longest time that counts as that of one body: a process may have been stopped meanwhile. */
const maxMeasuredMs = 2_000;

/** Callers that are kept at most; those whose bodies are paid for are dropped above that. */
const maxCallers = 10_000;

/**
 * Limits how many bytes of large bodies a caller may send in a time. To parse and check such a body blocks the event loop
 * for up to hundreds of milliseconds, so several of one caller in a row would delay every other caller. A body waits
 * unread, where its size is known. Each waits by a timer of its own: some platforms end the timers of a request with it.
 */
export class BodyPace {
  readonly #bytesPerMs: number;
  /** When the bodies of each caller so far are paid for. */
  readonly #paidAt = new Map<unknown, number>();

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** Returns what a body counts as that declares a length, or none. Small bodies count as nothing. */
  static bytesOf(declared: string | undefined): number {
    if (declared === undefined) return unknownBytes;
    const bytes = Number(declared);
    return bytes > largeBytes ? bytes : 0;
  }

  /**
   * Counts a body of a caller, and waits until it may be read. Returns `undefined` if that is at once, and `false` if
   * too many bodies of the caller wait already.
   */
  enter(caller: unknown, bytes: number): Promise<void> | false | undefined {
    if (bytes === 0) return undefined;
    const key = keyOf(caller);
    const now = performance.now();
    const paidAt = Math.max(this.#paidAt.get(key) ?? 0, now);
    if (paidAt - now > maxWaitMs) return false;
    if (this.#paidAt.size >= maxCallers) this.#drop(now);
    this.#paidAt.set(key, paidAt + bytes / this.#bytesPerMs);
    return waitUntil(paidAt - burstMs);
  }

  /** Corrects the size of a body that was counted as another one. Returns what `enter` does. */
  correct(caller: unknown, bytes: number, counted: number): Promise<void> | undefined {
    const actual = bytes > largeBytes ? bytes : 0;
    if (actual === counted || counted === 0) return undefined;
    const key = keyOf(caller);
    const paidAt = (this.#paidAt.get(key) ?? 0) + (actual - counted) / this.#bytesPerMs;
    this.#paidAt.set(key, paidAt);
    return actual > counted ? waitUntil(paidAt - actual / this.#bytesPerMs - burstMs) : undefined;
  }

  /**
   * Counts the time for which a body of a caller blocks the event loop from now on: until the next timer, all that works
   * is what handles the body, or another call that waits as long. On a busy machine this is more than its size tells.
   */
  measure(caller: unknown, bytes: number): void {
    if (bytes <= largeBytes) return;
    const since = performance.now();
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

/** Returns what tells callers apart: the user itself, or its id. */
function keyOf(caller: unknown): unknown {
  return isObject(caller) ? (caller["id"] ?? caller) : caller;
}
