import { isObject } from "./json.js";

/** Returns whether `value` has elements that come asynchronously. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value;
}

/** Returns the elements of `values` as `change` makes them. Throws what either throws. */
export async function* mapped(
  values: AsyncIterable<unknown>,
  change: (value: unknown) => unknown,
): AsyncGenerator<unknown, void, undefined> {
  for await (const value of values) yield change(value);
}

/** Returns whether `value` can be awaited, be it a promise of another library. Throws what its `then` throws. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  // Also a function may have a `then`: stubs of remote procedures are proxies of functions.
  return (isObject(value) || typeof value === "function") && typeof Reflect.get(value, "then") === "function";
}

/** Calls a hook of a user. What it throws, now or later, is handed to `report` and goes no further. */
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
    // What cannot even be written out must not take the place of the response.
  }
}
