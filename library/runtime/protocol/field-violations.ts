import type { Issue } from "../schema/issue.js";
import { ValidationError } from "../schema/schema.js";
import type { A2AError, ErrorDetail, ErrorTable } from "./error.js";

const badRequestType = "type.googleapis.com/google.rpc.BadRequest";

/**
 * Converts a `ValidationError` for a request to the error for invalid parameters, which lists the
 * issues. Returns any other value unchanged.
 */
export function toInvalidParams(thrown: unknown, errors: ErrorTable): unknown {
  if (!(thrown instanceof ValidationError)) return thrown;
  // A caller controls the size of these messages, for example with long keys.
  const issues = briefly(thrown.issues);
  const sentences = issues.slice(0, 3).map(({ message }) => message);
  const more = thrown.issues.length - sentences.length;
  if (more > 0) sentences.push(`${String(more)} more issues`);
  const message = `${thrown.type}: ${sentences.join("; ")}`;
  return new errors.invalidParams(message, { details: [badRequest(issues)], cause: thrown });
}

/**
 * Returns as many issues as fit into a header, starting with the first issue. gRPC sends the issues
 * in a header, and many peers reject headers above 8 KiB.
 */
function briefly(issues: readonly Issue[]): Issue[] {
  let size = 0;
  return issues.filter(({ message, pointer }) => {
    size += message.length + pointer.length;
    return size <= 2000;
  });
}

/**
 * Returns the error for one invalid field of a request. `field` is the path of the field, or empty
 * for the whole request.
 */
export function invalidField(
  field: string,
  message: string,
  errors: ErrorTable,
  cause?: unknown,
): A2AError {
  return new errors.invalidParams(message, {
    details: [badRequest([{ path: [field], message }])],
    cause,
  });
}

/**
 * Returns a detail for the `details` of an error that lists the invalid fields of a request, each
 * with the reason.
 *
 * @example
 * throw new InvalidParamsError("Unknown page", { details: [fieldViolations({ pageToken: "has
 * expired" })] });
 */
export function fieldViolations(problems: Readonly<Record<string, string>>): ErrorDetail {
  return badRequest(
    Object.entries(problems).map(([field, message]) => ({ path: [field], message })),
  );
}

function badRequest(issues: readonly Pick<Issue, "path" | "message">[]): ErrorDetail {
  const fieldViolations = issues.map(({ path, message }) => ({
    field: path.join("."),
    description: message,
  }));
  return { "@type": badRequestType, fieldViolations };
}
