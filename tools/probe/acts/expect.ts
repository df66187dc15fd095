import { isError, isInvalid } from "../errors.js";
import { isObject, member } from "../../agents/findings.js";
import { isTerminal } from "../../agents/index.js";
import { outline, short, stateOf, type Reply } from "../reply.js";
import { mismatch, valuesAt, type Mismatch } from "./assert.js";
import type { ExpectStream, NamedAssertion, Step } from "./format.js";
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
  const found = expect === undefined ? undefined : expectFailure(expect, reply, isRaw);
  if (found !== undefined) return found;
  if (expect_stream !== undefined) return streamFailure(expect_stream, reply, isRaw);
  const isUnexpected = expect === undefined && !isRaw && reply.error !== undefined;
  return isUnexpected ? { message: `expected a result, got ${outline(reply)}` } : undefined;
}

function expectFailure(
  { status, body, ...rest }: Readonly<Record<string, unknown>>,
  reply: Reply,
  isRaw: boolean,
): StepFailure | undefined {
  const root = rootOf(reply, isRaw);
  const found = statusFailure(status, reply, isRaw);
  if (found !== undefined) return found;
  return described(mismatch(root, body ?? {}) ?? mismatch(root, rest), reply);
}

function statusFailure(status: unknown, reply: Reply, isRaw: boolean): StepFailure | undefined {
  if (status === undefined) return undefined;
  const actual = isRaw ? reply.status : reply.error === undefined ? 200 : "error";
  return described(mismatch(actual, status, "status"), reply);
}

function described(found: Mismatch | undefined, reply: Reply): StepFailure | undefined {
  if (found === undefined) return undefined;
  const { path, expected, actual } = found;
  const got =
    reply.error === undefined || path.startsWith("error")
      ? actual
      : `${actual} (${outline(reply)})`;
  return {
    message: `expected ${expected} at ${path === "" ? "the root" : path}, got ${got}`,
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
  const { code, error_type = code, message, data, details } = wanted;
  if (error_type !== undefined && !isMeant(error_type, reply))
    return {
      message: `expected ${short(error_type)}, got ${outline(reply)}`,
      expected: short(error_type),
      actual: error.name,
      path: "error",
    };
  const found =
    (message === undefined ? undefined : mismatch(error.message, message, "error.message")) ??
    (data === undefined ? undefined : mismatch(error.details, data, "error.data")) ??
    (details === undefined ? undefined : mismatch(error.details, details, "error.details"));
  return described(found, reply);
}

/**
 * Returns whether the error of a reply is the error, or one of the errors, that a suite expects.
 */
function isMeant(name: unknown, reply: Reply): boolean {
  if (isObject(name)) {
    const names = name["one_of"];
    return Array.isArray(names)
      ? names.some((candidate) => isMeant(candidate, reply))
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
  const [update, artifact] = [event["statusUpdate"], event["artifactUpdate"]];
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
  const each =
    each_event === undefined
      ? []
      : events.map((event, at) => mismatch(event, each_event, `events[${at}]`));
  const last =
    final_event === undefined ? undefined : mismatch(events.at(-1), final_event, "final_event");
  return (
    described(each.find((found) => found !== undefined) ?? last, reply) ??
    eventsFailure(expected, events)
  );
}

function eventsFailure(
  { events: wanted = [] }: ExpectStream,
  events: readonly unknown[],
): StepFailure | undefined {
  for (const [at, { description, match, index, ...assertion }] of wanted.entries()) {
    const candidates =
      match === "any_position" ? events : [events[typeof index === "number" ? index : at]];
    if (candidates.some((event) => mismatch(event, assertion) === undefined)) continue;
    const what = typeof description === "string" ? description : short(assertion);
    return {
      message: `no event matches: ${what}`,
      expected: short(assertion),
      actual: `${events.length} events`,
    };
  }
  return undefined;
}

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
  for (const given of assertions) {
    const source = variables.fill(
      given.source.includes("{{") ? given.source : `{{${given.source}}}`,
    );
    const { path, match, any, all, none } = variables.fill({
      ...given,
      source: "",
    }) as NamedAssertion;
    const value = path === undefined ? source : valuesAt(source, path)[0];
    const direct = match === undefined ? undefined : mismatch(value, match, path ?? "");
    if (direct !== undefined)
      return {
        message: `expected ${direct.expected} at ${direct.path}, got ${direct.actual}`,
        ...direct,
      };
    const fits = (expected: { readonly path: string; readonly match: unknown }): boolean[] =>
      valuesAt(value, expected.path).map((item) => mismatch(item, expected.match) === undefined);
    if (any !== undefined && !fits(any).includes(true)) return unmatched("no element", any);
    if (all !== undefined && fits(all).includes(false)) return unmatched("not every element", all);
    if (none !== undefined && fits(none).includes(true)) return unmatched("an element", none);
  }
  return undefined;
}

function unmatched(
  what: string,
  { path, match }: { readonly path: string; readonly match: unknown },
): StepFailure {
  return { message: `${what} of ${path} matches ${short(match)}`, expected: short(match), path };
}
