/** Calls a user-supplied function and ignores its errors. */
export function ignoringErrors<Given extends unknown[]>(
  call: (...given: Given) => unknown,
  ...given: Given
): void {
  try {
    const result = call(...given);
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // Ignore the error, like the rejection of a returned promise above.
  }
}
