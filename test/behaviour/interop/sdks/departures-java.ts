import { without, type Departure, type Habit } from "../departures.js";
import { isObject } from "../json.js";
import { all, mapped, otherCard, pin, refusals, withoutBytes } from "./pins.js";

const [client, server] = [
  "client of Java SDK 0.3.3.Final",
  "server of Java SDK 0.3.3.Final",
] as const;
const protobuf = ["HTTP+JSON", "GRPC"] as const;

/** Departures of the SDK for Java. */
export const java: readonly Departure[] = [
  pin([client], ["HTTP+JSON"], {
    does: "A one-digit history length is sent with a leading space in the query, so the URL is invalid.",
    says: "RFC 3986 section 3.4: a query has no spaces.",
    at: {
      "a call returns before its task ends": ["what goes wrong"],
      "the history is limited when a task is read": [
        "what the server is asked",
        "the task with 3 messages",
        "the task with 1 messages",
      ],
      "a client leaves a stream": ["the task, which continues"],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    does: "The client does not escape ids in paths, and only reads errors in a non-standard format.",
    says: "RFC 3986 section 2.2, and 0.3.0 section 8: the code identifies the error.",
    at: {
      "the server refuses invalid calls": refusals,
      "the server stores push configurations": [
        "what the server is asked",
        "what is read",
        "the result is empty",
        "the list after that",
        "an unknown task",
      ],
    },
  }),
  pin([client], protobuf, {
    does: "The client returns its cached card and does not request the extended card.",
    says: "0.3.0 section 7.10: the call returns the authenticated extended card.",
    at: otherCard,
  }),
  pin([server], ["GRPC"], {
    does: "GetAgentCard returns the public card.",
    says: "0.3.0 section 7.10: the call returns the authenticated extended card.",
    at: otherCard,
  }),
  pin([server], all, {
    does: "The server ignores configuration.historyLength and returns the whole history.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    at: { "the history is limited when a message is sent": ["the task"] },
  }),
  pin([server], all, {
    does: "A resumed stream starts with the next event, not with the task.",
    says: "0.3.0 section 7.9 does not define the first event.",
    at: { "a client subscribes to a task": ["the events"] },
  }),
  pin([server], all, {
    does: "Subscribers may not be notified of a cancellation.",
    says: "0.3.0 section 7.2.2: the stream ends with an event that is final.",
    isRace: true,
    at: { "a client cancels a task during a subscription": ["the events"] },
  }),
  pin([server], all, {
    does: "A message to an unknown task creates a task with that id.",
    says: "0.3.0 section 8.2: TaskNotFoundError.",
    at: {
      "the server refuses invalid calls": [
        "a message to an unknown task",
        "a stream with an unknown task",
      ],
    },
  }),
  pin([server], all, {
    does: "For a missing push configuration, the server returns another configuration of the task.",
    says: "0.3.0 section 7.6: pushNotificationConfigId selects the configuration.",
    at: { "the server stores push configurations": ["reading what is gone"] },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "The server reads history_length from the query instead of historyLength.",
    says: "0.3.0 section 7.3: the query has historyLength.",
    at: {
      "the history is limited when a task is read": [
        "what the server is asked",
        "the task with 3 messages",
        "the task with 1 messages",
      ],
    },
  }),
  pin([server], protobuf, {
    does: "The server rejects a message with null in data.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: { "data contains null": ["the answer"] },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "The response does not list the active extensions.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": ["the extensions in use"] },
  }),
];

const both = { by: [client, server], over: protobuf } as const;

/** Habits of the SDK for Java. */
export const javaHabits: readonly Habit[] = [
  {
    ...both,
    does: "File bytes are base64-encoded twice when written, and read as if they were text.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64.",
    without: withoutBytes,
  },
  {
    ...both,
    does: "The conversion from and to protobuf drops the media type of a file.",
    says: "0.3.0, a2a.proto: FilePart.mime_type.",
    without: (value) => without(without(value, "mimeType"), "mediaType"),
  },
  {
    ...both,
    does: "The conversion from and to protobuf drops the extensions of a message.",
    says: "0.3.0, a2a.proto: Message.extensions.",
    without: (value) => mapped(value, (item, name) => (name === "extensions" ? undefined : item)),
  },
  {
    ...both,
    does: "An empty object in a list in data becomes null.",
    says: "google/protobuf/struct.proto: an empty Struct is not a NullValue.",
    without: (value) =>
      mapped(value, (item) => (isObject(item) && Object.keys(item).length === 0 ? null : item)),
  },
  {
    ...both,
    by: [server],
    does: "If the history length is absent, the server reads it as 0.",
    says: "0.3.0, a2a.proto: 0 means that history_length is absent.",
    without: (value) =>
      mapped(value, (item, name) => (name === "historyLength" && item === 0 ? undefined : item)),
  },
];
