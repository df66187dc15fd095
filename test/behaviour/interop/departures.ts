import { expect } from "vitest";
import { isObject, plain } from "./json.js";
import type { Binding } from "./peers.js";

/**
 * Who departs: the client or server of the SDK for a version, or of that for 1.0 where it translates from and to 0.3;
 * or those of the SDK of another language.
 */
export type Party =
  | "client of 1.0"
  | "server of 1.0"
  | "client of 0.3"
  | "server of 0.3"
  | "client of 1.0 that speaks 0.3"
  | "server of 1.0 that speaks 0.3"
  | `${"client" | "server"} of ${string}`;

/** Who departs from the specification, and why it is that side. */
export interface Reason {
  readonly by: readonly Party[];
  readonly over: readonly Binding[];
  /** What the SDK does. */
  readonly does: string;
  /** What the specification says, and where. */
  readonly says: string;
}

/** One way in which the SDK departs from the specification, as the tests see it. */
export interface Departure extends Reason {
  /**
   * What shows it, in each of the scenarios where it shows: with what is always seen in place of what is expected, or,
   * as a list, where anything else is seen at least once.
   */
  readonly at: Readonly<Record<string, readonly string[] | Readonly<Record<string, Instead>>>>;
  /** Whether it depends on who is faster, and may not be seen at all. */
  readonly isRace?: true;
}

/** Returns what is seen in place of what is expected. */
export type Instead = (expected: unknown) => unknown;

/** A departure that shows wherever a value of some kind travels. */
export interface Habit extends Reason {
  /** Takes out of a value, of what is seen as well as of what is expected, what the habit makes different. */
  readonly without: (value: unknown) => unknown;
  /** Whether it is about what 0.3 alone has, so that users of 1.0 do not see it. */
  readonly isOld?: true;
}

const http: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const protobuf: readonly Binding[] = ["HTTP+JSON", "GRPC"];
const all: readonly Binding[] = [...http, "GRPC"];

const streams = ["subscribing to an unknown task", "a stream with an unknown task"];
const calls = ["getting an unknown task", "canceling an unknown task", "a message to an unknown task"];
const textAbout = (what: string): string => `the text about ${what}`;
const each = <T>(names: readonly string[], value: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.map((name) => [name, value]));
/** A task with a member of another value, in the wrapper that 1.0 has around it, too. */
const changed = (found: unknown, name: string, value: unknown): unknown => {
  const task = isObject(found) ? found : {};
  return isObject(task["task"]) ? { task: changed(task["task"], name, value) } : { ...task, [name]: value };
};
const wholeHistory = (task: unknown): unknown =>
  changed(task, "history", expect.objectContaining({ length: 41 }) as unknown);
const inState = (state: RegExp): unknown =>
  expect.objectContaining({
    status: expect.objectContaining({ state: expect.stringMatching(state) as unknown }) as unknown,
  }) as unknown;

/** Departures of `@a2a-js/sdk` 1.3.0 and 0.3.14. When the SDK is mended, the tests fail and the row can go. */
export const departures: readonly Departure[] = [
  {
    by: ["client of 0.3", "client of 1.0 that speaks 0.3"],
    over: protobuf,
    does: "The client forgets `append` of an artifact update when it reads the message of the proto.",
    says: "0.3.0, a2a.proto: TaskArtifactUpdateEvent.append is true where the artifact continues one sent before.",
    at: each(["streaming work", "subscribing"], { "the events": (events) => without(events, "append") }),
  },
  {
    by: ["client of 0.3", "client of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    does: "An error that comes as the event of a stream is an Error without class or code.",
    says: "0.3.0 section 8: the code says which error it is, in streams as elsewhere.",
    at: { "what is refused": each(streams, () => "Error") },
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    does: "The text of an error that comes as the event of a stream is inside of another.",
    says: "0.3.0 section 8: message is the text of the error.",
    at: {
      "what is refused": each(
        streams.map(textAbout),
        (text) => `SSE event contained an error: ${String(text)} (Code: -32001) Data: {}`,
      ),
    },
  },
  {
    by: ["client of 0.3"],
    over: ["GRPC"],
    does: "The client cannot write null inside of a Struct, and refuses to send it.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: {
      "null in data": {
        "the answer": () => ({ refused: "Error", text: expect.stringContaining("serialization failure") as unknown }),
      },
    },
  },
  {
    by: ["server of 0.3"],
    over: ["JSONRPC"],
    does: "The server answers with all of the history, whatever configuration.historyLength says.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    at: { "a history that is limited when a message is sent": { "the task": wholeHistory } },
  },
  {
    by: ["server of 0.3", "server of 1.0 that speaks 0.3"],
    over: protobuf,
    does: "The server forgets configuration.historyLength when it reads the message of the proto, and answers with all.",
    says: "0.3.0, a2a.proto: SendMessageConfiguration.history_length.",
    at: {
      "a history that is limited when a message is sent": {
        "what the server is asked": (asked) => plain(without(asked, "historyLength")),
        "the task": wholeHistory,
      },
    },
  },
  {
    by: ["server of 0.3"],
    over: http,
    does: "What the agent activates is noted in a copy of the context, and never reaches the answer.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the answer names the active extensions.",
    at: { "an extension": { "the extensions in use": () => null } },
  },
  {
    by: ["server of 0.3"],
    over: ["HTTP+JSON"],
    does: "Any error before the first event of a stream is an internal error, with the text of a bug.",
    says: "0.3.0 section 8: TaskNotFoundError, -32001, and message is the text of the error.",
    at: {
      "what is refused": {
        ...each(streams, () => "InternalError"),
        ...each(
          streams.map(textAbout),
          () => "Bug: toJson serializer and body must be provided for non-204 responses.",
        ),
      },
    },
  },
  {
    by: ["server of 0.3"],
    over: ["GRPC"],
    does: "The server reads null inside of a Struct as the number 0.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: { "null in data": { "the data that the server is asked about": () => ({ none: 0, list: [0] }) } },
  },
  {
    by: ["server of 0.3"],
    over: ["GRPC"],
    does: "The error is the status FAILED_PRECONDITION, which several errors have, and nothing else.",
    says: "0.3.0 section 3.2.2: gRPC has the same functions as JSON-RPC; it does not say how errors are told apart.",
    at: { "what is refused": { "canceling what has ended": () => "A2AError" } },
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    does: "A configuration without blocking means that the client does not wait; without a configuration, it waits.",
    says: "0.3.0 section 7.1.2: blocking is optional, and nothing says that a configuration changes what its absence means.",
    at: {
      "a configuration that does not say whether to wait": {
        "what the server is asked": (asked) => withMember(asked, "configuration", "returnImmediately", true),
        "the task": (task) =>
          isObject(task) && "task" in task ? { task: inState(/_SUBMITTED$/) } : inState(/^submitted$/),
      },
    },
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: all,
    does: "A task that waits for somebody ends the stream without an event that is final.",
    says: "0.3.0 section 7.2.2: final is true for the last event of the stream.",
    at: { "streaming ask": { "the events": (events) => without(events, "final") } },
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["GRPC"],
    does: "The text is that of the status. We put the class before it, for clients that look at nothing else.",
    says: "0.3.0 does not say how gRPC tells errors apart.",
    at: {
      "what is refused": {
        ...each([...calls, ...streams].map(textAbout), (text) => `TaskNotFoundError: ${String(text)}`),
        [textAbout("canceling what has ended")]: (text) => `TaskNotCancelableError: ${String(text)}`,
      },
    },
  },
];

/** Gives a value without the members of a name, wherever they are. */
export function without(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => without(item, name));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(kept.map(([key, item]) => [key, without(item, name)]));
}

function withMember(value: unknown, at: string, name: string, item: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === at && isObject(inner) ? { ...inner, [name]: item } : withMember(inner, at, name, item),
    ]),
  );
}
