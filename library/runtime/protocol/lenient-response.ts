import {
  check,
  ValidationContext,
  ValidationError,
  type Forgiveness,
  type Forgiver,
  type Type,
} from "../schema/schema.js";
import { struct } from "../schema/types.js";
import type { ClientErrors } from "./error.js";

export { check, struct };

// A client loads this module with the first response that its guard does not accept.

/** The name of an operation, the type of its response, and whether the response is a card. */
interface Expected {
  readonly name: string;
  readonly type: Type<unknown> | undefined;
  readonly card: true | undefined;
}

/** Reads a response leniently: see `readResponse`. */
export async function parseResponse(
  { name, type, card }: Expected,
  response: unknown,
  errors: ClientErrors,
  forgivenessOf: (forgiver: Forgiver) => Forgiveness,
): Promise<unknown> {
  if (type === undefined) throw new TypeError(`The type of the response to ${name} is missing`);
  const mode = card ? "partial" : "tolerant";
  const context = new ValidationContext(mode);
  const valid = type.check(response, context);
  if (valid !== undefined && context.issues.length + context.deviations.length === 0) return valid;
  const forgiver = await import("../schema/forgiver.js").catch((cause: unknown) => {
    // Without the module, deviations cannot be judged.
    throw new errors.invalidResponse(name, { cause });
  });
  const { value, issues } = check(type, response, mode, forgivenessOf(forgiver));
  if (issues === undefined) return value;
  const cause = new ValidationError(type.name, issues);
  throw new errors.invalidResponse(forgiver.refusal(name, cause.message), { cause });
}
