import { notify } from "../base/async.js";
import { check, ValidationError, type Issue, type Type } from "../schema/schema.js";
import type { ClientOperation } from "./operation.js";
import type { ClientErrors } from "./error.js";

/**
 * Is called with what a response to the operation `name` has that this version does not know, and that stays in it. What
 * it throws goes to `console.error`.
 */
export type OnUnknown = (issues: readonly Issue[], name: string) => unknown;

/** What is known of a response: the operation that it is for, and its type. */
type Expected<T> = Pick<ClientOperation, "name" | "card"> & { readonly response: Type<T> };

/**
 * Returns the canonical form of a response; what a later version may have added stays in it, and `onUnknown` is called with
 * it. In a card, elements of lists in which something is missing stay as well: the rest of the card can be used. Throws the
 * error for an invalid response, which names everything that is wrong with it.
 */
export function parseResponse<T>(
  { name, response: type, card }: Expected<T>,
  response: unknown,
  errors: ClientErrors,
  onUnknown?: OnUnknown,
): T {
  const { value, issues } = check(type, response, card ? "partial" : "tolerant", (unknown) => {
    notify(() => onUnknown?.(unknown, name));
  });
  if (issues === undefined) return value;
  const cause = new ValidationError(type.name, issues);
  throw new errors.invalidResponse(`The response to ${name} is not valid: ${cause.message}`, { cause });
}
