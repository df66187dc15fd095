/**
 * The longest delay of a timer, in milliseconds. Platforms run a timer with a longer delay
 * immediately.
 */
export const longestMs: number = 2 ** 31 - 1;

/**
 * Waits until a promise settles, or until a time has passed. Rejects if the promise rejects first.
 */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, ms);
  });
  return Promise.race([promise, limit]).finally(() => {
    clearTimeout(timer);
  });
}

/** Allows the process to end while a timer is running, if the platform supports this. */
export function withoutHold<T>(timer: T): T {
  if (
    typeof timer === "object" &&
    timer !== null &&
    "unref" in timer &&
    typeof timer.unref === "function"
  )
    Reflect.apply(timer.unref, timer, []);
  return timer;
}

/**
 * Calls a function after the current work of the event loop, before any timer if the platform
 * supports it.
 */
export function soon(call: () => void): void {
  // Not all platforms have `setImmediate`, so it is declared here.
  const { setImmediate } = globalThis as { setImmediate?: (call: () => void) => unknown };
  if (setImmediate === undefined) setTimeout(call, 0);
  else setImmediate(call);
}

/**
 * Number of steps after which a turn pauses. Otherwise, a turn that never waits would block other
 * work.
 */
export const maxSteps = 1_000;

/** Resolves after the timers that are due. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
