/** Part of the shortest time after which the time of all calls is checked. */
const precision = 1 / 4;

/**
 * A call that may wait for its caller. The calls of a server form a ring, whose times are checked
 * together: a timer for each call takes longer, and so does a set of calls.
 */
export class WaitingCall {
  #previous: WaitingCall = this;
  #next: WaitingCall = this;
  /** Milliseconds that the call may still wait; `undefined` if it does not wait. */
  #leftMs: number | undefined;

  /** Starts the time in which the caller must act, or stops it. */
  protected waitFor(timeoutMs: number | undefined): void {
    this.#leftMs = timeoutMs;
  }

  /** Called when the caller has not acted in time. */
  protected expire(): void {
    // Only calls have a time. The start of a ring has none.
  }

  /** Adds the call to a ring. */
  protected link(ring: WaitingCall): void {
    this.#next = ring;
    this.#previous = ring.#previous;
    this.#previous.#next = this;
    ring.#previous = this;
  }

  /** Removes the call from its ring. */
  protected unlink(): void {
    this.#previous.#next = this.#next;
    this.#next.#previous = this.#previous;
    this.#previous = this;
    this.#next = this;
  }

  /**
   * Creates a ring for calls with times of at least `leastMs`. Callers get up to a quarter of this
   * time more.
   */
  static ring(leastMs: number): { readonly start: WaitingCall; readonly stop: () => void } {
    const start = new WaitingCall();
    const stepMs = leastMs * precision;
    const timer = setInterval(() => {
      const late: WaitingCall[] = [];
      for (let call = start.#next; call !== start; call = call.#next)
        if (call.#isLate(stepMs)) late.push(call);
      // Calls leave the ring when they expire.
      for (const call of late) call.expire();
    }, stepMs);
    timer.unref();
    const stop = (): void => {
      clearInterval(timer);
    };
    return { start, stop };
  }

  #isLate(elapsedMs: number): boolean {
    if (this.#leftMs === undefined) return false;
    this.#leftMs -= elapsedMs;
    // The time may have started just before its first step.
    if (this.#leftMs > -elapsedMs) return false;
    this.#leftMs = undefined;
    return true;
  }
}
