import { waitUntil } from "../../runtime/base/pace.js";
import { exhausted } from "../calls/refusals.js";

/** Ends the turn of a call that had to wait for it. */
export type EndTurn = () => void;

/** Bytes that a call reads or writes, above which the calls of its owner are made one after the other for some time. */
const largeBytes = 256 * 1024;

/** How long that is, in milliseconds. */
const orderedMs = 30_000;

/** Time for which an owner may be ahead of its rate, in milliseconds. */
const burstMs = 1_000;

/** Time that one call counts for at most because its store was slow, in milliseconds. */
const maxStoreMs = 3_000;

/** Calls of an owner that wait in a process at most, and the size of their messages. */
const maxWaiting = 1_000;
const maxWaitingBytes = 64 * 2 ** 20;

/**
 * Limits how many bytes of tasks the calls of one owner read and write in a time. Large tasks keep the event loop and the
 * connections of the database busy, which all owners share. As long as an owner has small tasks only, nothing waits.
 */
export class Pace {
  readonly #bytesPerMs: number;
  /** When the bytes read and written so far are paid for. */
  #paidAt = -Infinity;
  /** Until when calls are made one after the other. */
  #orderedUntil = -Infinity;
  #last: Promise<void> | undefined;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /**
   * Begins a call that brings a message of a size. Returns a promise for the end of its turn if the call has to wait for
   * its turn; `undefined` otherwise. Throws the error for the caller if too many calls wait already.
   */
  enter(bytes = 0): Promise<EndTurn> | undefined {
    if (this.#last === undefined && performance.now() >= this.#orderedUntil) return undefined;
    if (this.#waiting >= maxWaiting || (this.#waiting > 0 && this.#waitingBytes + bytes > maxWaitingBytes))
      throw exhausted("bytesPerSecond", 1_000 * this.#bytesPerMs);
    return this.#turn(bytes);
  }

  /** Ends a call that has read or written some bytes since it began, and its turn, if it had to wait for it. */
  leave(bytes: number, since: number, endTurn?: EndTurn): void {
    if (bytes >= largeBytes) {
      const now = performance.now();
      // A store that is slow is slow for all owners.
      this.#paidAt =
        Math.max(this.#paidAt, now) + Math.max(bytes / this.#bytesPerMs, Math.min(2 * (now - since), maxStoreMs));
      this.#orderedUntil = now + orderedMs;
    }
    endTurn?.();
  }

  async #turn(bytes: number): Promise<EndTurn> {
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
