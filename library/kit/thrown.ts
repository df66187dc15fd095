/**
 * Returns the thrown value if it is an `Error`; otherwise an `Error` with the value as its cause.
 */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error("A value was thrown that is not an Error", { cause: thrown });
}
