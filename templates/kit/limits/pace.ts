import { waitUntil } from "../../runtime/base/pace.js";
import { exhausted } from "../calls/refusals.js";

/** Lets the next call in the queue continue. */
export type EndTurn = () => void;

/** Size of a read or write, in bytes, above which the owner's calls run one at a time for a while. */
const largeBytes = 256 * 1024;

/** Time for which calls run one at a time after a large call, in milliseconds. */
const orderedMs = 30_000;

/** Time by which an owner may exceed its rate, in milliseconds. */
const burstMs = 1_000;

/** If the store is slow, the maximum time in milliseconds that a single call counts towards its owner's rate. */
const maxStoreMs = 3_000;

/** Maximum number of waiting calls of an owner in this process, and maximum size of their messages. */
const maxWaiting = 1_000;
const maxWaitingBytes = 64 * 2 ** 20;

/**
 * Limits how many bytes of tasks the calls of one owner read and write per second, because large tasks occupy the event
 * loop and the database connections, which all owners share. If an owner only has small tasks, its calls never wait.
 */
export class Pace {
  readonly #bytesPerMs: number;
  /** Time at which the rate allows the bytes that were read and written so far. */
  #paidAt = -Infinity;
  /** Time until which calls run one at a time. */
  #orderedUntil = -Infinity;
  #last: Promise<void> | undefined;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /**
   * Begins a call with a message of a size. If the call must wait, returns a promise of a function that lets the next
   * call continue; otherwise `undefined`. Throws the error for the caller if too many calls are waiting.
   */
  enter(bytes = 0): Promise<EndTurn> | undefined {
    const isOrdered = this.#last !== undefined || bytes >= largeBytes;
    if (!isOrdered && performance.now() >= this.#orderedUntil) return undefined;
    if (this.#waiting >= maxWaiting || (this.#waiting > 0 && this.#waitingBytes + bytes > maxWaitingBytes))
      throw exhausted("bytesPerSecond", 1_000 * this.#bytesPerMs);
    return this.#turn(bytes);
  }

  /**
   * Ends a call that began at `since` and read or wrote some bytes. If the call had to wait, lets the next call
   * continue.
   */
  leave(bytes: number, since: number, endTurn?: EndTurn): void {
    if (bytes >= largeBytes) {
      const now = performance.now();
      // The time that the store takes also counts, because an owner that slows the store down affects all owners.
      this.#paidAt =
        Math.max(this.#paidAt, now) + Math.max(bytes / this.#bytesPerMs, Math.min(2 * (now - since), maxStoreMs));
      this.#orderedUntil = now + orderedMs;
    }
    endTurn?.();
  }

  async #turn(bytes: number): Promise<EndTurn> {
    // A chain of promises: each call waits until the previous call has ended.
    const before = this.#last;
    let end: EndTurn = () => undefined;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last = turn;
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    await before;
    await waitUntil(this.#paidAt - burstMs);
    this.#waiting -= 1;
    this.#waitingBytes -= bytes;
    return () => {
      if (this.#last === turn) this.#last = undefined;
      end();
    };
  }
}
