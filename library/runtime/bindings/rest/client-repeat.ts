import type { ErrorTable } from "../../protocol/error.js";
import { isPrecise } from "../../http/error-response.js";
import type { ReceivedResponse } from "../../http/client.js";
import type { HttpRoute } from "../../protocol/operation.js";
import type { RestJson } from "../../protocol/rest-json.js";
import type { Call } from "../../protocol/transport.js";
import type { SplitRequest } from "./client-request.js";

// Clients load this module after a failed call. It imports no module that clients load before,
// because bundlers would move such a module out of the file that every client loads.

/**
 * Returns the parts of a request in another form than the usual: the body that the route defines, in
 * the JSON of the binding.
 */
export type Form = (
  usual: SplitRequest,
  request: {
    readonly attempt: Attempt;
    /** The whole request in the JSON of the binding. */
    readonly written: unknown;
    readonly json: RestJson | undefined;
  },
) => SplitRequest;

/** The body is the whole request. */
const whole: Form = (usual, { attempt, written }) =>
  attempt.route.body === undefined ? usual : { ...usual, query: [], body: written };

/** The body has the JSON of the model. */
const model: Form = (usual, { attempt: { call, route }, json }) =>
  usual.body === undefined || json === undefined
    ? usual
    : { ...usual, body: json.modelBody(call.operation, call.request, route) };

/** A call to one route in one form. */
export interface Attempt {
  readonly call: Call;
  readonly route: HttpRoute;
  readonly accept: string;
  /** The form of the request; `undefined` for the usual form. */
  readonly form: Form | undefined;
  /** Whether the request is sent as plain JSON instead of the media type of the protocol. */
  readonly isPlain: boolean;
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
  /** The routes of the operation. */
  readonly routes: readonly HttpRoute[] | undefined;
  /** The field of a request that names the tenant. */
  readonly tenant: string | undefined;
  readonly send: (attempt: Attempt) => Promise<Outcome>;
}

/**
 * Sends a failed call as plain JSON if the agent has rejected its media type, to the other routes if
 * the agent does not know its route, and in the other forms if the agent could not read it. Throws
 * the error of the call if nothing else is possible.
 */
export async function repeat(attempt: Attempt, failure: Failure, sender: Sender): Promise<Success> {
  return repeatOn(attempt, failure, fallbacksOf(attempt.route, sender), sender);
}

/** Returns the fallback routes of a route, which have the tenant in the path if the route has it. */
function fallbacksOf(used: HttpRoute, { routes = [], tenant }: Sender): readonly HttpRoute[] {
  const variables = tenant === undefined ? [] : [`{${tenant}}`, `{${tenant}=`];
  const namesTenant = ({ path }: HttpRoute): boolean =>
    variables.some((variable) => path.includes(variable));
  return routes.filter(
    (route) => route.use === "fallback" && namesTenant(route) === namesTenant(used),
  );
}

async function repeatOn(
  attempt: Attempt,
  { status, error }: Failure,
  others: readonly HttpRoute[],
  sender: Sender,
): Promise<Success> {
  const { body } = attempt.route;
  if (status === 415 && body !== undefined && !attempt.isPlain)
    return again({ ...attempt, isPlain: true }, others, sender);
  const route = others.at(0);
  if (route !== undefined && isUnknownRoute(status))
    return fallBack({ ...attempt, route }, others.slice(1), error, sender);
  // Some agents expect the whole request in the body, and crash if the body is a part of it.
  const isPart = body !== undefined && body !== "*";
  const isCrashOnPart = isPart && isCrash(status, error, sender.errors);
  if (!isCrashOnPart && !isUnread(status, error, sender.errors)) throw error;
  return inOtherForms(attempt, error, sender);
}

/** Sends the call again, and repeats it if that also fails. */
async function again(
  attempt: Attempt,
  others: readonly HttpRoute[],
  sender: Sender,
): Promise<Success> {
  const outcome = await sender.send(attempt);
  return "error" in outcome ? repeatOn(attempt, outcome, others, sender) : outcome;
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
  const { errors } = sender;
  try {
    return await again(attempt, others, sender);
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
  if (body === undefined || form === model) return undefined;
  if (form === undefined && body !== "*") return whole;
  return hasModel ? model : undefined;
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
