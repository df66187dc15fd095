import { namedError } from "./marks.js";
import type { Member } from "./member.js";

/** Result of a call to one of several stores. */
export type Reply<T> =
  | { readonly outcome: "done"; readonly value: T; readonly since: number }
  /** The store has not responded in time. Its response is kept for the next call. */
  | { readonly outcome: "late" }
  | { readonly outcome: "failed"; readonly error: Error };

/**
 * Calls of one kind to one store, at most one at a time. A store that responds slowly delays the
 * first call that waits for it, and no further calls of any kind until it responds in time again.
 */
export class Lane<T> {
  readonly member: Member;
  readonly #onLate: (() => void) | undefined;
  #pending: Promise<Reply<T>> | undefined;
  /** The response to a call that was late. */
  #kept: Reply<T> | undefined;
  /** Whether the response to the last call took longer than its time-out. */
  #isSlow = false;
  #reportedAt = -Infinity;

  /**
   * Creates a lane.
   * @param onLate Called when the response to a late call arrives.
   */
  constructor(member: Member, onLate?: () => void) {
    this.member = member;
    this.#onLate = onLate;
  }

  get isBusy(): boolean {
    return this.#pending !== undefined;
  }

  /** Returns the response to a late call once. */
  takeKept(): Reply<T> | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    return kept;
  }

  /**
   * Calls the store, and waits for its response, but not longer than `timeoutMs`. If the last call
   * was slow, or the store owes a response to a call of another kind, does not wait at all. Must not
   * be called while the lane is busy.
   */
  async ask(call: () => Promise<T>, timeoutMs: number): Promise<Reply<T>> {
    const waitMs = this.#isSlow || this.member.isOverdue ? 0 : timeoutMs;
    const hasArrived = this.member.expect(performance.now() + timeoutMs);
    const pending = this.#replyTo(call);
    this.#pending = pending;
    let isLate = false;
    const settled = pending.then((reply) => {
      this.#pending = undefined;
      // A response to a call that did not wait may still have arrived in time.
      this.#isSlow = hasArrived();
      if (!isLate) return reply;
      this.#kept = reply;
      this.#onLate?.();
      return reply;
    });
    if (timeoutMs === Infinity) return settled;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<Reply<T>>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        resolve({ outcome: "late" });
      }, waitMs);
    });
    return Promise.race([settled, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  async #replyTo(call: () => Promise<T>): Promise<Reply<T>> {
    const since = performance.now();
    try {
      return { outcome: "done", value: await call(), since };
    } catch (error) {
      return { outcome: "failed", error: namedError(this.member.name, error) };
    }
  }

  /** Returns whether an error of this lane must be reported, at most once per `everyMs`. */
  mayReport(everyMs: number): boolean {
    const now = performance.now();
    if (now < this.#reportedAt + everyMs) return false;
    this.#reportedAt = now;
    return true;
  }
}

/** Returns the error for a store that has not responded in time. */
export function lateError(name: string): Error {
  return new Error(`The store ${name} has not responded in time`);
}
