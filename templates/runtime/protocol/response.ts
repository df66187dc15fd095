import { notify } from "../base/async.js";
import { check, ValidationError, type Issue, type Type } from "../schema/schema.js";
import type { ClientErrors } from "./error.js";

/**
 * Is called with what a response to the operation `name` has that this version does not know, and that stays in it. What
 * it throws goes to `console.error`.
 */
export type OnUnknown = (issues: readonly Issue[], name: string) => unknown;

/**
 * Returns the canonical form of the response to the operation `name`; what a later version may have added stays in it,
 * and `onUnknown` is called with it. Throws the error for an invalid response, which names everything that is wrong with
 * it.
 */
export function parseResponse<T>(
  name: string,
  type: Type<T>,
  response: unknown,
  errors: ClientErrors,
  onUnknown?: OnUnknown,
): T {
  const { value, issues } = check(type, response, "tolerant", (unknown) => {
    notify(() => onUnknown?.(unknown, name));
  });
  if (issues === undefined) return value;
  const cause = new ValidationError(type.name, issues);
  throw new errors.invalidResponse(`The response to ${name} is not valid: ${cause.message}`, { cause });
}
