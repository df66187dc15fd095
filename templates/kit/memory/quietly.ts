/** Calls a function of somebody else, whose failure is none of ours. */
export function quietly(call: () => unknown): void {
  try {
    const result = call();
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // As above.
  }
}
