import { check, ValidationError, type Forgiveness, type Type } from "../schema/schema.js";
import { forgivenessFor, type DeviationOptions } from "./deviations.js";
import type { ClientErrors } from "./error.js";
import type { ClientOperation } from "./operation.js";

/** The operation and the type of a response. */
type Expected<T> = Pick<ClientOperation, "name" | "card"> & { readonly response: Type<T> };

/**
 * Returns the canonical form of a response. Unknown members, such as additions of a later version,
 * stay in the response and are reported as deviations. In a card, incomplete elements of lists also
 * stay, so that the rest of the card remains usable. Throws the error for an invalid response, with
 * all its issues. Returns a promise if the response deviates from its type.
 */
export function parseResponse<T>(
  { name, response: type, card }: Expected<T>,
  response: unknown,
  errors: ClientErrors,
  deviations: DeviationOptions = {},
): T | Promise<T> {
  const checked = (forgiveness: Forgiveness) =>
    check(type, response, card ? "partial" : "tolerant", forgiveness);
  let deviates = false;
  const onDeviation = (): void => {
    deviates = true;
  };
  const { value: valid, issues } = checked({ onDeviation });
  if (issues === undefined && !deviates) return valid;
  return import("../schema/forgiver.js").then((forgiver) => {
    const { value, issues } = checked(forgivenessFor(deviations, name, forgiver));
    if (issues === undefined) return value;
    const cause = new ValidationError(type.name, issues);
    const message =
      `The response to ${name} is invalid: ${cause.message}. To accept it unchecked, set validate ` +
      "to false";
    throw new errors.invalidResponse(message, { cause });
  });
}
