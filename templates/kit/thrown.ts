/** Returns what was thrown as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Something was thrown that is no error", { cause: thrown });
}
