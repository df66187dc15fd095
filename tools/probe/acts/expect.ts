import { isError, isInvalid } from "../errors.js";
import { isObject, member } from "../../agents/findings.js";
import { isTerminal } from "../../agents/index.js";
import { outline, short, stateOf, type Reply } from "../reply.js";
import { mismatch, valuesAt, type Mismatch } from "./assert.js";
import type { ElementAssertion, ExpectStream, NamedAssertion, Step } from "./format.js";
import type { Variables } from "./variables.js";

/** Reason why a step failed. */
export interface StepFailure {
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
  readonly path?: string;
}

/** Names of errors in the suite format that differ from their names in the protocol. */
const otherNames: Readonly<Record<string, string>> = {
  StreamingNotSupportedError: "UnsupportedOperationError",
  ExtendedCardNotSupportedError: "UnsupportedOperationError",
};

/** Returns the value that the assertions of a step check: the result, or the error. */
export function rootOf(reply: Reply, isRaw: boolean): unknown {
  if (isRaw) return reply.body;
  const { error } = reply;
  if (error !== undefined)
    return { error: { code: error.code, message: error.message, data: error.details } };
  return reply.result;
}

/** Checks the expectations of a step. */
export function failureOf(step: Step, reply: Reply, isRaw: boolean): StepFailure | undefined {
  const { expect, expect_error, expect_stream } = step;
  if (reply.failure !== undefined) return { message: `no response: ${reply.failure}` };
  if (expect_error !== undefined) return errorFailure(expect_error, reply);
  const failure = expect && expectFailure(expect, reply, isRaw);
  if (failure !== undefined) return failure;
  if (expect_stream !== undefined) return streamFailure(expect_stream, reply, isRaw);
  const isUnexpected = expect === undefined && !isRaw && reply.error !== undefined;
  return isUnexpected ? { message: `expected a result, got ${outline(reply)}` } : undefined;
}

function expectFailure(
  { status, body, ...members }: Readonly<Record<string, unknown>>,
  reply: Reply,
  isRaw: boolean,
): StepFailure | undefined {
  const root = rootOf(reply, isRaw);
  // Suites describe the result in `body`, or name its members next to `status`.
  return (
    statusFailure(status, reply, isRaw) ??
    failureFrom(mismatch(root, body ?? {}) ?? mismatch(root, members), reply)
  );
}

function statusFailure(status: unknown, reply: Reply, isRaw: boolean): StepFailure | undefined {
  // An operation has no status of its own, so suites write 200 for any result.
  const outcome = reply.error === undefined ? 200 : "error";
  return failureFrom(mismatchIfGiven(isRaw ? reply.status : outcome, status, "status"), reply);
}

/** Returns the first difference from an optional assertion. */
function mismatchIfGiven(actual: unknown, assertion: unknown, path: string): Mismatch | undefined {
  return assertion === undefined ? undefined : mismatch(actual, assertion, path);
}

function failureFrom(found: Mismatch | undefined, reply: Reply): StepFailure | undefined {
  if (found === undefined) return undefined;
  const { path, expected, actual } = found;
  const isErrorKnown = reply.error === undefined || path.startsWith("error");
  const got = isErrorKnown ? actual : `${actual} (${outline(reply)})`;
  return {
    message: `expected ${expected} at ${path || "the root"}, got ${got}`,
    expected,
    actual,
    path,
  };
}

function errorFailure(
  wanted: Readonly<Record<string, unknown>>,
  reply: Reply,
): StepFailure | undefined {
  const { error } = reply;
  if (error === undefined)
    return { message: `expected an error, got ${outline(reply)}`, actual: outline(reply) };
  const { code, error_type, message, data, details } = wanted;
  const type = error_type ?? code;
  if (type !== undefined && !isExpectedError(type, reply))
    return {
      message: `expected ${short(type)}, got ${outline(reply)}`,
      expected: short(type),
      actual: error.name,
      path: "error",
    };
  const found =
    mismatchIfGiven(error.message, message, "error.message") ??
    mismatchIfGiven(error.details, data, "error.data") ??
    mismatchIfGiven(error.details, details, "error.details");
  return failureFrom(found, reply);
}

/**
 * Returns whether the error of a reply is the error, or one of the errors, that a suite expects.
 */
function isExpectedError(name: unknown, reply: Reply): boolean {
  if (isObject(name)) {
    const names = name["one_of"];
    return Array.isArray(names)
      ? names.some((candidate) => isExpectedError(candidate, reply))
      : mismatch(reply.error?.name, name) === undefined;
  }
  if (typeof name !== "string") return reply.error?.code === name;
  return name === "InvalidParamsError"
    ? isInvalid(reply)
    : isError(reply, otherNames[name] ?? name);
}

/** Returns an event with all names that suites use for its parts. */
function viewOf(event: unknown): unknown {
  if (!isObject(event)) return event;
  const update = event["statusUpdate"];
  const artifact = event["artifactUpdate"];
  const inner = [event["task"], event["message"], update, artifact].find(isObject) ?? {};
  return {
    ...inner,
    ...event,
    ...(update !== undefined && { status_update: update }),
    ...(artifact !== undefined && { artifact_update: artifact }),
  };
}

function streamFailure(
  expected: ExpectStream,
  reply: Reply,
  isRaw: boolean,
): StepFailure | undefined {
  if (!isRaw && reply.error !== undefined && reply.events === undefined)
    return { message: `expected a stream, got ${outline(reply)}` };
  const events = (isRaw ? reply.frames : (reply.events ?? [])).map(viewOf);
  const { min_count = 0, max_count = Infinity, ordering, each_event, final_event } = expected;
  if (events.length < min_count || events.length > max_count)
    return {
      message: `the stream has ${events.length} events`,
      expected: `${min_count} to ${max_count}`,
      actual: `${events.length}`,
    };
  if (ordering === "monotonic_state" && !isOrdered(events))
    return { message: "the states are in an order that is not allowed" };
  const anyEvent = events
    .map((event, at) => mismatchIfGiven(event, each_event, `events[${at}]`))
    .find((found) => found !== undefined);
  const lastEvent = mismatchIfGiven(events.at(-1), final_event, "final_event");
  return failureFrom(anyEvent ?? lastEvent, reply) ?? eventsFailure(expected, events);
}

function eventsFailure(
  { events: wanted = [] }: ExpectStream,
  events: readonly unknown[],
): StepFailure | undefined {
  for (const [at, { description, match, index, ...assertion }] of wanted.entries()) {
    // By default, the assertions have the order of the events.
    const position = typeof index === "number" ? index : at;
    const candidates = match === "any_position" ? events : [events[position]];
    if (candidates.some((event) => mismatch(event, assertion) === undefined)) continue;
    const name = typeof description === "string" ? description : short(assertion);
    return {
      message: `no event matches: ${name}`,
      expected: short(assertion),
      actual: `${events.length} events`,
    };
  }
  return undefined;
}

/** Returns whether no state follows a terminal state, or returns to `submitted`. */
function isOrdered(events: readonly unknown[]): boolean {
  const states = events
    .map((event) => stateOf(member(event, "task") ?? event))
    .filter((state) => state !== "");
  return states.every((state, at) => {
    const before = states[at - 1];
    if (before === undefined || before === state) return true;
    return !isTerminal(before) && state !== "TASK_STATE_SUBMITTED";
  });
}

/** Checks the named assertions of a step or a test. */
export function assertionFailure(
  assertions: readonly NamedAssertion[],
  variables: Variables,
): StepFailure | undefined {
  for (const { source, ...assertion } of assertions) {
    // The source is the name of a variable, or a string that contains variables.
    const root = variables.fill(source.includes("{{") ? source : `{{${source}}}`);
    const { path, match, any, all, none } = variables.fill(assertion) as typeof assertion;
    const value = path === undefined ? root : valuesAt(root, path)[0];
    const found = mismatchIfGiven(value, match, path ?? "");
    if (found !== undefined)
      return {
        message: `expected ${found.expected} at ${found.path}, got ${found.actual}`,
        ...found,
      };
    const matches = (elements: ElementAssertion): boolean[] =>
      valuesAt(value, elements.path).map((item) => mismatch(item, elements.match) === undefined);
    if (any !== undefined && !matches(any).includes(true)) return elementFailure("no element", any);
    if (all !== undefined && matches(all).includes(false))
      return elementFailure("not every element", all);
    if (none !== undefined && matches(none).includes(true))
      return elementFailure("an element", none);
  }
  return undefined;
}

function elementFailure(quantity: string, { path, match }: ElementAssertion): StepFailure {
  const expected = short(match);
  return { message: `${quantity} of ${path} matches ${expected}`, expected, path };
}
