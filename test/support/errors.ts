import { expect } from "vitest";

/** Returns an error of some members, for assertions about what is thrown. */
export function errorWith(members: { readonly name?: string; readonly message?: string }): Error {
  const matcher: unknown = expect.objectContaining(members);
  return matcher as Error;
}

/** Returns a value that was thrown as the error that it is. Throws for all else. */
export function errorOf(value: unknown): Error {
  if (value instanceof Error) return value;
  throw new Error(`Expected an error, got ${JSON.stringify(value)}`);
}
