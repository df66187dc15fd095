import { AsyncLocalStorage } from "node:async_hooks";
import { aroundEach, beforeAll, vi } from "vitest";

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

/** Whether a test that has replaced the timers is the cause of what is running. */
const own = new AsyncLocalStorage<true>();

/**
 * Replaces the timers in the tests of a `describe`, so that a {@link Scheduler} has them. Agents of
 * earlier tests may still be running in this process, and keep the timers of the platform.
 */
export function useOwnTimers(): void {
  beforeAll(replaceTimers);
  aroundEach((test) => own.run(true, test));
}

/** Returns a function that restores the timers. */
function replaceTimers() {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const fake = { setTimeout, clearTimeout, setInterval, clearInterval };
  const { constructor } = real.setTimeout(() => undefined, 0);
  const setter = () => (own.getStore() === undefined ? real : fake);
  const clearer = (timer: unknown) => (timer instanceof constructor ? real : fake);
  Object.assign(globalThis, {
    setTimeout: (...given: Parameters<typeof setTimeout>) => setter().setTimeout(...given),
    setInterval: (...given: Parameters<typeof setInterval>) => setter().setInterval(...given),
    clearTimeout: (timer?: NodeJS.Timeout) => {
      clearer(timer).clearTimeout(timer);
    },
    clearInterval: (timer?: NodeJS.Timeout) => {
      clearer(timer).clearInterval(timer);
    },
  });
  return () => {
    Object.assign(globalThis, fake);
    vi.useRealTimers();
  };
}
