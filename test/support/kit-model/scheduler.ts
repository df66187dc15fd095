import { vi } from "vitest";

// Taken before a test replaces the timers.
const realSetImmediate = setImmediate;

/** Determines when waiting operations continue. It does not depend on time. */
export class Scheduler {
  /** The time that all parts of a test share, in milliseconds. */
  now = 1_000_000;
  /** Whether nothing waits any longer. */
  isOpen = false;
  #gates: (() => void)[] = [];

  get waiting(): number {
    return this.#gates.length;
  }

  /** Waits until the scheduler opens this gate. */
  readonly gate = (): Promise<void> =>
    this.isOpen ? Promise.resolve() : new Promise((resolve) => this.#gates.push(resolve));

  /** Opens one of the gates. */
  open(which: number): void {
    if (this.#gates.length > 0) this.#gates.splice(which % this.#gates.length, 1)[0]?.();
  }

  openAll(): void {
    const gates = this.#gates;
    this.#gates = [];
    for (const open of gates) open();
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.now += ms;
    vi.advanceTimersByTime(ms);
  }

  /** Resumes everything that does not wait for a gate or for time. */
  settle(): Promise<void> {
    return new Promise((resolve) => realSetImmediate(resolve));
  }
}

/** Waits for some turns of the queue of microtasks. */
export async function ticks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

/** Replaces the timers, so that a {@link Scheduler} has them. */
export function useOwnTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
}
