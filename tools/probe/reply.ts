import { TaskState } from "../../generated/1.0/models.js";
import type { Exchange } from "../agents/index.js";
import { isObject, member, textAt } from "../agents/findings.js";

/** Error in a response, independent of the binding. */
export interface ReplyError {
  /**
   * Name of the protocol's error, such as `TaskNotFoundError`; empty if the response does not
   * identify an error.
   */
  readonly name: string;
  /** JSON-RPC code, HTTP status, or name of the gRPC status. */
  readonly code: number | string | undefined;
  readonly message: string;
  /** Details in their received form; `undefined` if the error has no details. */
  readonly details: unknown;
  /** Whether the error only has an HTTP status, as errors of 0.3 may. */
  readonly isBare?: boolean;
}

/** A call without a recorded exchange, such as a call over gRPC. */
export interface RecordedCall {
  readonly name: string;
  readonly url: string;
  readonly request: unknown;
  readonly response: unknown;
}

/** Response to one request of the probe, or the reason why it is missing. */
export interface Reply {
  /** The result in JSON; `undefined` for an error. */
  readonly result: unknown;
  readonly error: ReplyError | undefined;
  /** Reason for a missing or unreadable response. */
  readonly failure: string | undefined;
  /** Whether the agent did not respond within the time limit. */
  readonly isLate: boolean;
  /** HTTP status; `undefined` over gRPC. */
  readonly status: number | undefined;
  /** Headers with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
  /** The content of each event of a stream; `undefined` for other responses. */
  readonly events: readonly unknown[] | undefined;
  /** The data of each event in its received form. Over JSON-RPC, this includes the envelope. */
  readonly frames: readonly unknown[];
  readonly exchange: Exchange | undefined;
  readonly call: RecordedCall | undefined;
}

const empty: Reply = {
  result: undefined,
  error: undefined,
  failure: undefined,
  isLate: false,
  status: undefined,
  headers: {},
  body: undefined,
  events: undefined,
  frames: [],
  exchange: undefined,
  call: undefined,
};

/** Returns a reply with the given members. */
export function replyOf(members: Partial<Reply>): Reply {
  return { ...empty, ...members };
}

/** Maximum length of a value in a line of the report. */
const maxValue = 120;

/** Returns a value as short JSON for a line of the report. */
export function short(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

/** Returns a short description of a reply. */
export function outline({ result, error, failure, events, status }: Reply): string {
  if (failure !== undefined) return failure;
  if (error !== undefined) {
    const code = error.code ?? status ?? "?";
    return `${error.name || "an unknown error"} (${code}): ${short(error.message)}`;
  }
  if (events !== undefined) return `a stream of ${events.length} events`;
  return short(result);
}

/** Returns the task in a response: the response itself, or its member `task`. */
export function taskIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const task = member(value, "task") ?? value;
  return isObject(task) && isObject(task["status"]) ? task : undefined;
}

/** Returns the state of a task or of a status update; empty if it is missing. */
export function stateOf(value: unknown): string {
  return textAt(member(value, "status"), "state") ?? "";
}

/** All states of tasks. */
export const states: readonly string[] = Object.values(TaskState).filter(
  (state) => state !== TaskState.Unspecified,
);
