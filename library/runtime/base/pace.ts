/**
 * Waits until `performance.now()` reaches a time. Returns `undefined` if the time has already
 * passed.
 */
export function waitUntil(time: number): Promise<void> | undefined {
  const ms = time - performance.now();
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
}
