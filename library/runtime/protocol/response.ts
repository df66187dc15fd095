import { check, ValidationContext, ValidationError, type Type } from "../schema/schema.js";
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
  const mode = card ? "partial" : "tolerant";
  const context = new ValidationContext(mode);
  const valid = type.check(response, context);
  if (valid !== undefined && context.issues.length + context.deviations.length === 0) return valid;
  return import("../schema/forgiver.js").then(
    (forgiver) => {
      const forgiveness = forgivenessFor(deviations, name, forgiver);
      const { value, issues } = check(type, response, mode, forgiveness);
      if (issues === undefined) return value;
      const cause = new ValidationError(type.name, issues);
      throw new errors.invalidResponse(forgiver.refusal(name, cause.message), { cause });
    },
    // Without the module, deviations cannot be judged.
    (cause: unknown) => {
      throw new errors.invalidResponse(name, { cause });
    },
  );
}
