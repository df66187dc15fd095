import { check, ValidationError, type Type } from "../schema/schema.js";
import type { ClientErrors } from "./error.js";

/**
 * Returns the canonical form of the response to the operation `name`. Throws the error for an invalid response, which
 * names everything that is wrong with it.
 */
export function parseResponse<T>(name: string, type: Type<T>, response: unknown, errors: ClientErrors): T {
  const { value, issues } = check(type, response, "json");
  if (issues === undefined) return value;
  const cause = new ValidationError(type.name, issues);
  throw new errors.invalidResponse(`The response to ${name} is not valid: ${cause.message}`, { cause });
}
