import { waitUntil } from "../../runtime/base/pace.js";
import { exhausted } from "../refusals.js";

/** Ends the turn of a call, so that the next call in the queue continues. */
export type EndTurn = () => void;

/** Size of a read or write, in bytes, above which it counts towards the owner's rate. */
export const countedBytes: number = 64 * 1024;

/**
 * Size of a read or write, in bytes, above which the owner's calls run one at a time for a while.
 */
const largeBytes = 256 * 1024;

/** How long an owner's calls run one at a time after a large call, in milliseconds. */
const orderedMs = 30_000;

/** How far an owner may be ahead of its rate without waiting, in milliseconds. */
const burstMs = 2_000;

/**
 * Minimum time between two reads or writes of an owner that exceeds its rate, as a multiple of
 * their duration.
 */
const idleRatio = 4;

/**
 * Maximum time in milliseconds that a single call counts towards its owner's rate if the store is
 * slow.
 */
const maxStoreMs = 3_000;

/**
 * Maximum time in milliseconds for which earlier reads and writes delay an owner's calls. Turns are
 * not delayed, so an agent that writes large artifacts would otherwise delay the calls of its owner
 * without limit.
 */
const maxDelayMs = 10_000;

/**
 * Maximum number of waiting calls of an owner in this process, and maximum size of their messages.
 */
const maxWaiting = 1_000;
const maxWaitingBytes = 64 * 2 ** 20;

/**
 * Limits how many bytes of tasks the calls and turns of one owner read and write per second,
 * because large tasks occupy the event loop and the database, which all owners share. Only calls
 * wait: turns count, but are never delayed. If an owner only has small tasks, its calls never wait.
 */
export class Pace {
  readonly #bytesPerMs: number;
  /** Time at which the rate allows the bytes that were read and written so far. */
  #paidAt = -Infinity;
  /** Time until which calls run one at a time. */
  #orderedUntil = -Infinity;
  /** Like `#paidAt`, but only for the bytes that turns wrote. */
  #turnsPaidAt = -Infinity;
  #last: Promise<void> | undefined;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /**
   * Begins a call with a message of `bytes` bytes. If the call must wait, returns a promise that
   * resolves when it may continue, with a function that then lets the next call continue.
   * Otherwise, returns `undefined`. Throws the error for the caller if too many calls are waiting.
   */
  enter(bytes = 0): Promise<EndTurn> | undefined {
    const isOrdered = this.#last !== undefined || bytes >= largeBytes;
    if (!isOrdered && performance.now() >= Math.max(this.#orderedUntil, this.#paidAt - burstMs))
      return undefined;
    this.#checkRoom(bytes);
    return this.#waitInQueue(bytes);
  }

  /**
   * Begins a call that only writes a message of `bytes` bytes. Unlike with `enter`, large calls do
   * not delay a call with a small message, because many users may share an owner. Such a call waits
   * only if turns exceed the rate.
   */
  enterNew(bytes: number): Promise<EndTurn> | undefined {
    if (bytes >= countedBytes) return this.enter(bytes);
    if (this.#turnsPaidAt === -Infinity || performance.now() >= this.#turnsPaidAt - burstMs)
      return undefined;
    this.#checkRoom(bytes);
    return this.#waitForTurns(bytes);
  }

  /**
   * Ends a call that began at `since` and read or wrote `bytes` bytes. If the call had to wait,
   * lets the next call continue.
   */
  leave(bytes: number, since: number, endTurn?: EndTurn): void {
    if (bytes >= countedBytes) this.#count(bytes, since);
    if (bytes >= largeBytes) this.#orderedUntil = performance.now() + orderedMs;
    endTurn?.();
  }

  /** Counts bytes that a turn wrote from `since` until now. */
  countTurn(bytes: number, since: number): void {
    this.#turnsPaidAt = this.#paidAfter(this.#turnsPaidAt, bytes, since);
    this.#count(bytes, since);
  }

  /** Counts bytes that were read or written from `since` until now. */
  #count(bytes: number, since: number): void {
    this.#paidAt = this.#paidAfter(this.#paidAt, bytes, since);
  }

  #paidAfter(paidAt: number, bytes: number, since: number): number {
    const now = performance.now();
    // The time that the store takes also counts, because an owner that slows the store down affects
    // all owners.
    const ms = Math.max(bytes / this.#bytesPerMs, Math.min(idleRatio * (now - since), maxStoreMs));
    return Math.min(Math.max(paidAt, now) + ms, now + maxDelayMs);
  }

  /** Throws the error for the caller if too many calls are waiting. */
  #checkRoom(bytes: number): void {
    if (
      this.#waiting >= maxWaiting ||
      (this.#waiting > 0 && this.#waitingBytes + bytes > maxWaitingBytes)
    )
      throw exhausted("bytesPerSecond", 1_000 * this.#bytesPerMs);
  }

  async #waitForTurns(bytes: number): Promise<EndTurn> {
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    await waitUntil(this.#turnsPaidAt - burstMs);
    this.#waiting -= 1;
    this.#waitingBytes -= bytes;
    return () => undefined;
  }

  async #waitInQueue(bytes: number): Promise<EndTurn> {
    // The calls form a chain of promises, in which each call waits until the previous call has
    // ended.
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
