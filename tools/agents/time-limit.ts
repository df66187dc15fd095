/** Timers do not support longer delays. */
const longestMs = 2 ** 31 - 1;

/**
 * Returns a signal that aborts with any of the signals, or after a time in milliseconds. With 0,
 * the time is not limited.
 */
export function withTimeLimit(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  if (ms === 0) return AbortSignal.any([...signals]);
  const limit = AbortSignal.timeout(Math.min(ms, longestMs));
  // Node 20 collects a signal of a timer as garbage, and its timer with it, although a combined
  // signal depends on it. A listener keeps the signal.
  limit.addEventListener("abort", () => undefined, { once: true });
  return AbortSignal.any([...signals, limit]);
}
