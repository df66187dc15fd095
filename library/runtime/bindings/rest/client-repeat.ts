import type { ErrorTable } from "../../protocol/error.js";
import { isPrecise } from "../../http/error-response.js";
import type { ReceivedResponse } from "../../http/client.js";
import type { HttpRoute } from "../../protocol/operation.js";
import type { Call } from "../../protocol/transport.js";

// Clients load this module after a failed call. It imports no module that clients load before,
// because bundlers would move such a module out of the file that every client loads.

/**
 * Form of a request body:
 * - `binding`: the body that the route defines, in the JSON of the binding.
 * - `whole`: the whole request, in the JSON of the binding.
 * - `model`: the body that the route defines, in the JSON of the model.
 */
export type Form = "binding" | "whole" | "model";

/** A call to one route in one form. */
export interface Attempt {
  readonly call: Call;
  readonly route: HttpRoute;
  readonly accept: string;
  readonly form: Form;
}

/** A successful response and its route. */
export interface Success {
  readonly received: ReceivedResponse;
  readonly route: HttpRoute;
}

/** The error in a response, and the status of the response. */
export interface Failure {
  readonly status: number;
  readonly error: Error;
}

/** The result of an attempt. */
export type Outcome = Success | Failure;

/** The functions of the transport for repeated attempts. */
interface Sender {
  readonly errors: ErrorTable;
  /** Whether requests have the form of the model in addition to the form of the binding. */
  readonly hasModel: boolean;
  readonly send: (attempt: Attempt) => Promise<Outcome>;
}

/**
 * Sends a failed call to the other routes if the agent does not know its route, and in the other
 * forms if the agent could not read it. Throws the error of the call if nothing else is possible.
 */
export async function repeat(
  attempt: Attempt,
  { status, error }: Failure,
  others: readonly HttpRoute[],
  sender: Sender,
): Promise<Success> {
  const { body } = attempt.route;
  const route = others.at(0);
  if (route !== undefined && isUnknownRoute(status))
    return fallBack({ ...attempt, route }, others.slice(1), error, sender);
  // Some agents expect the whole request in the body, and crash if the body is a part of it.
  const isPart = body !== undefined && body !== "*";
  const isCrashOnPart = isPart && isCrash(status, error, sender.errors);
  if (!isCrashOnPart && !isUnread(status, error, sender.errors)) throw error;
  return inOtherForms(attempt, error, sender);
}

/**
 * Sends the call to the next route. If that also fails, throws its error, unless only the first
 * error is about the content of the request.
 */
async function fallBack(
  attempt: Attempt,
  others: readonly HttpRoute[],
  first: Error,
  sender: Sender,
): Promise<Success> {
  const { errors, send } = sender;
  try {
    const outcome = await send(attempt);
    return "error" in outcome ? await repeat(attempt, outcome, others, sender) : outcome;
  } catch (error) {
    const isFirstBetter = isAboutRequest(first, errors) && !isAboutRequest(error, errors);
    throw isFirstBetter ? first : error;
  }
}

/**
 * Sends a call again in the other forms, because the agent could not read it. If these forms also
 * fail, throws the first error, unless a later error is about the content of the request.
 */
async function inOtherForms(attempt: Attempt, first: Error, sender: Sender): Promise<Success> {
  const { errors, send } = sender;
  let form = nextForm(attempt, sender);
  while (form !== undefined) {
    const next = { ...attempt, form };
    const outcome = await send(next);
    if (!("error" in outcome)) return outcome;
    const { status, error } = outcome;
    if (isAboutRequest(error, errors) && !isUnread(status, error, errors)) throw error;
    form = nextForm(next, sender);
  }
  throw first;
}

/** Returns the form to try after the form of an attempt. Skips equal forms. */
function nextForm({ form, route: { body } }: Attempt, { hasModel }: Sender): Form | undefined {
  if (body === undefined || form === "model") return undefined;
  if (form === "binding" && body !== "*") return "whole";
  return hasModel ? "model" : undefined;
}

/**
 * Returns whether an error status may mean that the HTTP method or the path is unknown. This
 * includes 404, because an agent that only supports a different HTTP method may treat the end of
 * the path as part of an id.
 */
function isUnknownRoute(status: number): boolean {
  return status === 404 || status === 405 || status === 501;
}

/**
 * Returns whether an error is about the content of a request, and not about the HTTP method or the
 * path.
 */
function isAboutRequest(error: unknown, errors: ErrorTable): boolean {
  return isPrecise(error, errors) && error.reason !== errors.methodNotFound.row.reason;
}

/** Returns whether an error response means that the agent could not read the request. */
function isUnread(status: number, error: Error, errors: ErrorTable): boolean {
  if (status !== 400 && status !== 422) return false;
  return !isPrecise(error, errors) || error.reason === errors.invalidParams.row.reason;
}

/**
 * Returns whether an agent has failed without a protocol error. Some agents do so if a body is
 * unexpected.
 */
function isCrash(status: number, error: Error, { classes }: ErrorTable): boolean {
  return status === 500 && !classes.some((Known) => error instanceof Known);
}
