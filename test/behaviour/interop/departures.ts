import { expect } from "vitest";
import { isObject, plain } from "./json.js";
import type { Binding } from "./peers.js";

/**
 * Side with the deviation: the client or server of the SDK for a version, the SDK for 1.0 if it
 * converts from and to 0.3, or the SDK of another language.
 */
export type Party =
  | "client of 1.0"
  | "server of 1.0"
  | "client of 0.3"
  | "server of 0.3"
  | "client of 1.0 that speaks 0.3"
  | "server of 1.0 that speaks 0.3"
  | `${"client" | "server"} of ${string}`;

/** The side that deviates from the specification, and the reason for this verdict. */
export interface Reason {
  readonly by: readonly Party[];
  readonly over: readonly Binding[];
  /** Behaviour of the SDK. */
  readonly does: string;
  /** Text of the specification, with its section. */
  readonly says: string;
}

/** One way in which the SDK departs from the specification, as the tests see it. */
export interface Departure extends Reason {
  /**
   * Evidence in each affected scenario: the observed value in place of the expected value or, as a
   * list, values of which at least one differs once.
   */
  readonly at: Readonly<Record<string, readonly string[] | Readonly<Record<string, Instead>>>>;
  /** Whether it depends on who is faster, and may not be seen at all. */
  readonly isRace?: true;
}

/** Returns what is seen in place of what is expected. */
export type Instead = (expected: unknown) => unknown;

/** A departure that shows wherever a value of some kind travels. */
export interface Habit extends Reason {
  /**
   * Takes out of a value, of what is seen as well as of what is expected, what the habit makes
   * different.
   */
  readonly without: (value: unknown) => unknown;
  /** Whether only features of 0.3 are affected, so that users of 1.0 do not see the deviation. */
  readonly isOld?: true;
}

const http: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const protobuf: readonly Binding[] = ["HTTP+JSON", "GRPC"];
const all: readonly Binding[] = [...http, "GRPC"];

const streams = ["subscribing to an unknown task", "a stream with an unknown task"];
const calls = [
  "getting an unknown task",
  "canceling an unknown task",
  "a message to an unknown task",
];
const textAbout = (what: string) => `the text about ${what}`;
const each = <T>(names: readonly string[], value: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.map((name) => [name, value]));
/** A task with a member of another value, in the wrapper that 1.0 has around it, too. */
const changed = (found: unknown, name: string, value: unknown): unknown => {
  const task = isObject(found) ? found : {};
  return isObject(task["task"])
    ? { task: changed(task["task"], name, value) }
    : { ...task, [name]: value };
};
const wholeHistory = (task: unknown): unknown =>
  changed(task, "history", expect.objectContaining({ length: 41 }) as unknown);
const inState = (state: RegExp) =>
  expect.objectContaining({
    status: expect.objectContaining({ state: expect.stringMatching(state) as unknown }) as unknown,
  }) as unknown;

/**
 * Departures of `@a2a-js/sdk` 1.3.0 and 0.3.14. When the SDK is mended, the tests fail and the row
 * can go.
 */
export const departures: readonly Departure[] = [
  {
    by: ["client of 0.3", "client of 1.0 that speaks 0.3"],
    over: protobuf,
    does: "The client drops `append` when it reads an artifact update from the protobuf message.",
    says: "0.3.0, a2a.proto: TaskArtifactUpdateEvent.append is true if the event continues an artifact sent before.",
    at: each(["a stream starts a task that completes", "a client subscribes to a task"], {
      "the events": (events) => without(events, "append"),
    }),
  },
  {
    by: ["client of 0.3", "client of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    does: "An error sent as a stream event becomes an Error without a class or code.",
    says: "0.3.0 section 8: the code identifies the error, in streams too.",
    at: { "the server refuses invalid calls": each(streams, () => "Error") },
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    does: "The text of an error sent as a stream event is wrapped in another text.",
    says: "0.3.0 section 8: message is the text of the error.",
    at: {
      "the server refuses invalid calls": each(
        streams.map(textAbout),
        (text) => `SSE event contained an error: ${String(text)} (Code: -32001) Data: {}`,
      ),
    },
  },
  {
    by: ["client of 0.3"],
    over: ["GRPC"],
    does: "The client cannot encode null in a Struct, and fails to send the request.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: {
      "data contains null": {
        "the answer": () => ({
          refused: "Error",
          text: expect.stringContaining("serialization failure") as unknown,
        }),
      },
    },
  },
  {
    by: ["server of 0.3"],
    over: ["JSONRPC"],
    does: "The server ignores configuration.historyLength and returns the whole history.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    at: { "the history is limited when a message is sent": { "the task": wholeHistory } },
  },
  {
    by: ["server of 0.3", "server of 1.0 that speaks 0.3"],
    over: protobuf,
    does: "The server drops configuration.historyLength when it reads the protobuf message, and returns the whole history.",
    says: "0.3.0, a2a.proto: SendMessageConfiguration.history_length.",
    at: {
      "the history is limited when a message is sent": {
        "what the server is asked": (asked) => plain(without(asked, "historyLength")),
        "the task": wholeHistory,
      },
    },
  },
  {
    by: ["server of 0.3"],
    over: http,
    does: "Activated extensions are recorded in a copy of the context, so the response does not list them.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": { "the extensions in use": () => null } },
  },
  {
    by: ["server of 0.3"],
    over: ["HTTP+JSON"],
    does: "An error before the first event of a stream becomes an internal error with an unrelated text.",
    says: "0.3.0 section 8: TaskNotFoundError, -32001, and message is the text of the error.",
    at: {
      "the server refuses invalid calls": {
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
    does: "The server reads null in a Struct as the number 0.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: {
      "data contains null": {
        "the data that the server is asked about": () => ({ none: 0, list: [0] }),
      },
    },
  },
  {
    by: ["server of 0.3"],
    over: ["GRPC"],
    does: "The error is only the status FAILED_PRECONDITION, which several errors share.",
    says: "0.3.0 section 3.2.2: gRPC has the same functions as JSON-RPC, but no rule to tell errors apart.",
    at: { "the server refuses invalid calls": { "canceling what has ended": () => "A2AError" } },
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    does: "If the configuration omits blocking, the server does not wait. If the request has no configuration, it waits.",
    says: "0.3.0 section 7.1.2: blocking is optional, and its default does not depend on whether there is a configuration.",
    at: {
      "a configuration omits whether to wait for the task": {
        "what the server is asked": (asked) =>
          withMember(asked, "configuration", "returnImmediately", true),
        "the task": (task) =>
          isObject(task) && "task" in task
            ? { task: inState(/_SUBMITTED$/) }
            : inState(/^submitted$/),
      },
    },
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: all,
    does: "If a task pauses for input, the stream ends without a final event.",
    says: "0.3.0 section 7.2.2: final is true for the last event of the stream.",
    at: {
      "a stream starts a task that asks for input": {
        "the events": (events) => without(events, "final"),
      },
    },
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["GRPC"],
    does: "The text is the status message. Our server prefixes it with the class, for clients that read nothing else.",
    says: "0.3.0 does not define how gRPC tells errors apart.",
    at: {
      "the server refuses invalid calls": {
        ...each(
          [...calls, ...streams].map(textAbout),
          (text) => `TaskNotFoundError: ${String(text)}`,
        ),
        [textAbout("canceling what has ended")]: (text) =>
          `TaskNotCancelableError: ${String(text)}`,
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
      key === at && isObject(inner)
        ? { ...inner, [name]: item }
        : withMember(inner, at, name, item),
    ]),
  );
}
