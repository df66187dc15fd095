/** The longest delay of a timer, in milliseconds. Platforms treat longer delays as no delay. */
export const longestMs: number = 2 ** 31 - 1;

/** Waits until a promise settles, or until a time has passed. Rejects if the promise rejects first. */
export function within(promise: Promise<unknown>, ms: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([promise, limit]).finally(() => {
    clearTimeout(timer);
  });
}

/** Lets the process end while a timer runs, if the platform supports it. */
export function withoutHold<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    Reflect.apply(timer.unref, timer, []);
  return timer;
}

/** Calls a function after the current work of the event loop, before any timer if the platform supports it. */
export function soon(call: () => void): void {
  // Not all platforms have `setImmediate`, so it is declared here.
  const { setImmediate } = globalThis as { setImmediate?: (call: () => void) => unknown };
  if (setImmediate === undefined) setTimeout(call, 0);
  else setImmediate(call);
}
