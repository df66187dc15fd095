/** Calls a function of somebody else, whose failure is none of ours. */
export function quietly<Given extends unknown[]>(call: (...given: Given) => unknown, ...given: Given): void {
  try {
    const result = call(...given);
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // As above.
  }
}
