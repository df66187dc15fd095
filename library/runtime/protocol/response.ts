import { check, ValidationError, type Type } from "../schema/schema.js";
import { forgivenessFor, type DeviationOptions } from "./deviations.js";
import type { ClientOperation } from "./operation.js";
import type { ClientErrors } from "./error.js";

/** The operation and the type of a response. */
type Expected<T> = Pick<ClientOperation, "name" | "card"> & { readonly response: Type<T> };

/**
 * Returns the canonical form of a response. Unknown members, such as additions of a later version,
 * stay in the response and are reported as deviations. In a card, incomplete elements of lists also
 * stay, so that the rest of the card remains usable. Throws the error for an invalid response, with
 * all its issues.
 */
export function parseResponse<T>(
  { name, response: type, card }: Expected<T>,
  response: unknown,
  errors: ClientErrors,
  deviations: DeviationOptions = {},
): T {
  const { value, issues } = check(
    type,
    response,
    card ? "partial" : "tolerant",
    forgivenessFor(deviations, name),
  );
  if (issues === undefined) return value;
  const cause = new ValidationError(type.name, issues);
  const message =
    `The response to ${name} is invalid: ${cause.message}. To accept it unchecked, set validate ` +
    "to false";
  throw new errors.invalidResponse(message, { cause });
}
