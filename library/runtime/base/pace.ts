/**
 * Waits until `performance.now()` reaches a time. Returns `undefined` if the time has already
 * passed.
 */
export function waitUntil(time: number): Promise<void> | undefined {
  const ms = time - performance.now();
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
}

/**
 * Waits for a number of milliseconds. Rejects with the signal's reason if the signal aborts first.
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
