import { InvalidParamsError } from "../errors.js";
import { fieldViolations } from "../runtime/protocol/field-violations.js";

/** Returns the error for an invalid field of a request. */
export function invalid(field: string, problem: string): InvalidParamsError {
  return new InvalidParamsError(`${field} ${problem}`, {
    details: [fieldViolations({ [field]: problem })],
  });
}
