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
  /** The scenarios in which it shows, by their names. */
  readonly in: readonly string[];
  /** What shows it. */
  readonly at: readonly string[];
  /** What is always seen in place of what is expected; without it, anything else is seen at least once. */
  readonly instead?: (expected: unknown) => unknown;
  /** Whether it depends on who is faster, and may not be seen at all. */
  readonly isRace?: true;
}

/** A departure that shows wherever a value of some kind travels. */
export interface Habit extends Reason {
  /** Takes out of a value, of what is seen as well as of what is expected, what the habit makes different. */
  readonly without: (value: unknown) => unknown;
}

const http: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const protobuf: readonly Binding[] = ["HTTP+JSON", "GRPC"];
const all: readonly Binding[] = [...http, "GRPC"];

/** Departures of `@a2a-js/sdk` 1.3.0 and 0.3.14. When the SDK is mended, the tests fail and the row can go. */
export const departures: readonly Departure[] = [
  {
    by: ["client of 0.3", "client of 1.0 that speaks 0.3"],
    over: protobuf,
    in: ["streaming work", "subscribing"],
    at: ["the events"],
    does: "The client forgets `append` of an artifact update when it reads the message of the proto.",
    says: "0.3.0, a2a.proto: TaskArtifactUpdateEvent.append is true where the artifact continues one sent before.",
    instead: (events) => without(events, "append"),
  },
  {
    by: ["client of 0.3"],
    over: ["JSONRPC"],
    in: ["what is refused"],
    at: ["subscribing to an unknown task", "a stream with an unknown task"],
    does: "An error that comes as the event of a stream is an Error without class or code.",
    says: "0.3.0 section 8: the code says which error it is, in streams as elsewhere.",
    instead: () => "Error",
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    in: ["what is refused"],
    at: ["subscribing to an unknown task", "a stream with an unknown task"],
    does: "An error that comes as the event of a stream is an Error without class or code.",
    says: "0.3.0 section 8: the code says which error it is, in streams as elsewhere.",
    instead: () => "Error",
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    in: ["what is refused"],
    at: ["the text about subscribing to an unknown task", "the text about a stream with an unknown task"],
    does: "The text of an error that comes as the event of a stream is inside of another.",
    says: "0.3.0 section 8: message is the text of the error.",
    instead: (text) => `SSE event contained an error: ${String(text)} (Code: -32001) Data: {}`,
  },
  {
    by: ["client of 0.3"],
    over: ["GRPC"],
    in: ["null in data"],
    at: ["the answer"],
    does: "The client cannot write null inside of a Struct, and refuses to send it.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    instead: () => ({ refused: "Error", text: expect.stringContaining("serialization failure") as unknown }),
  },
  {
    by: ["server of 0.3"],
    over: all,
    in: ["a history that is limited when a message is sent"],
    at: ["the task"],
    does: "The server answers with all of the history, whatever configuration.historyLength says.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    instead: (task) => ({
      ...(isObject(task) ? task : {}),
      history: expect.objectContaining({ length: 41 }) as unknown,
    }),
  },
  {
    by: ["server of 0.3", "server of 1.0 that speaks 0.3"],
    over: protobuf,
    in: ["a history that is limited when a message is sent"],
    at: ["what the server is asked"],
    does: "The server forgets configuration.historyLength when it reads the message of the proto.",
    says: "0.3.0, a2a.proto: SendMessageConfiguration.history_length.",
    instead: (asked) => plain(without(asked, "historyLength")),
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: protobuf,
    in: ["a history that is limited when a message is sent"],
    at: ["the task"],
    does: "Having forgotten configuration.historyLength, the server answers with all of the history.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    instead: (task) => ({
      ...(isObject(task) ? task : {}),
      history: expect.objectContaining({ length: 41 }) as unknown,
    }),
  },
  {
    by: ["server of 0.3"],
    over: http,
    in: ["an extension"],
    at: ["the extensions in use"],
    does: "What the agent activates is noted in a copy of the context, and never reaches the answer.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the answer names the active extensions.",
    instead: () => null,
  },
  {
    by: ["server of 0.3"],
    over: ["HTTP+JSON"],
    in: ["what is refused"],
    at: ["subscribing to an unknown task", "a stream with an unknown task"],
    does: "Any error before the first event of a stream is an internal error.",
    says: "0.3.0 section 8: TaskNotFoundError, -32001.",
    instead: () => "InternalError",
  },
  {
    by: ["server of 0.3"],
    over: ["HTTP+JSON"],
    in: ["what is refused"],
    at: ["the text about subscribing to an unknown task", "the text about a stream with an unknown task"],
    does: "Any error before the first event of a stream has the text of a bug.",
    says: "0.3.0 section 8: message is the text of the error.",
    instead: () => "Bug: toJson serializer and body must be provided for non-204 responses.",
  },
  {
    by: ["server of 0.3"],
    over: ["GRPC"],
    in: ["null in data"],
    at: ["the data that the server is asked about"],
    does: "The server reads null inside of a Struct as the number 0.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    instead: () => ({ none: 0, list: [0] }),
  },
  {
    by: ["server of 0.3"],
    over: ["GRPC"],
    in: ["what is refused"],
    at: ["canceling what has ended"],
    does: "The error is the status FAILED_PRECONDITION, which several errors have, and nothing else.",
    says: "0.3.0 section 3.2.2: gRPC has the same functions as JSON-RPC; it does not say how errors are told apart.",
    instead: () => "A2AError",
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    in: ["a configuration that does not say whether to wait"],
    at: ["what the server is asked"],
    does: "A configuration without blocking means that the client does not wait; without a configuration, it waits.",
    says: "0.3.0 section 7.1.2: blocking is optional, and nothing says that a configuration changes what its absence means.",
    instead: (asked) => withMember(asked, "configuration", "returnImmediately", true),
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: ["JSONRPC"],
    in: ["a configuration that does not say whether to wait"],
    at: ["the task"],
    does: "So the task is answered with before it asks.",
    says: "0.3.0 section 7.1.2: blocking is optional, and nothing says that a configuration changes what its absence means.",
    instead: () =>
      expect.objectContaining({ status: expect.objectContaining({ state: "submitted" }) as unknown }) as unknown,
  },
  {
    by: ["server of 1.0 that speaks 0.3"],
    over: all,
    in: ["streaming ask"],
    at: ["the events"],
    does: "A task that waits for somebody ends the stream without an event that is final.",
    says: "0.3.0 section 7.2.2: final is true for the last event of the stream.",
    instead: (events) => without(events, "final"),
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["GRPC"],
    in: ["what is refused"],
    at: [
      "getting an unknown task",
      "canceling an unknown task",
      "subscribing to an unknown task",
      "a message to an unknown task",
      "a stream with an unknown task",
    ].map((what) => `the text about ${what}`),
    does: "The text is that of the status. We put the class before it, for clients that look at nothing else.",
    says: "0.3.0 does not say how gRPC tells errors apart.",
    instead: (text) => `TaskNotFoundError: ${String(text)}`,
  },
  {
    by: ["client of 1.0 that speaks 0.3"],
    over: ["GRPC"],
    in: ["what is refused"],
    at: ["the text about canceling what has ended"],
    does: "The text is that of the status. We put the class before it, for clients that look at nothing else.",
    says: "0.3.0 does not say how gRPC tells errors apart.",
    instead: (text) => `TaskNotCancelableError: ${String(text)}`,
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
