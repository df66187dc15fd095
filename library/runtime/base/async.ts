import { isObject } from "./json.js";

/** Returns whether `value` is an async iterable. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value;
}

/**
 * Yields the result of `change` for each element of `values`. Throws the errors of `values` and of
 * `change`.
 */
export async function* mapped(
  values: AsyncIterable<unknown>,
  change: (value: unknown) => unknown,
): AsyncGenerator<unknown, void, undefined> {
  for await (const value of values) yield change(value);
}

/**
 * Returns whether `value` can be awaited, including promises of other libraries. Throws the errors
 * of a `then` getter.
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  // A function may also have a `then`: stubs of remote procedures are proxies of functions.
  return (
    (isObject(value) || typeof value === "function") &&
    typeof Reflect.get(value, "then") === "function"
  );
}

/**
 * Calls a user's callback. Passes errors of the callback, synchronous or not, to `report` instead
 * of throwing them.
 */
export function notify(hook: () => unknown, report: (error: unknown) => void = log): void {
  new Promise((resolve) => {
    resolve(hook());
  }).catch(report);
}

/** Writes an error to the console. Never throws. */
export function log(error: unknown): void {
  try {
    console.error(error);
  } catch {
    // The response must be sent even if the error cannot be written to the console.
  }
}
