import { isObject } from "../json.js";
import { without, type Departure, type Habit } from "../departures.js";
import { emptyListIsNull, rawPaths } from "./departures-go.js";
import { bytesTwice } from "./departures-python-0.3.js";
import { all, mapped, pin, refusals } from "./pins.js";

const [client, server] = [
  "client of Go SDK 2.4.0 for 0.3",
  "server of Go SDK 2.4.0 for 0.3",
] as const;

const protobuf = ["HTTP+JSON", "GRPC"] as const;

/** Deviations of the Go SDK with 0.3. */
export const oldGo: readonly Departure[] = [
  pin([client], ["HTTP+JSON"], {
    ...rawPaths,
    at: {
      "the server refuses invalid calls": refusals.slice(0, 3),
      "the server stores push configurations": [
        "what the server is asked",
        "what is read",
        "the list after that",
      ],
    },
  }),
  pin([client], ["GRPC"], {
    does: "The client cannot read a file with binary content, nor the response that contains it.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes.",
    at: {
      "the agent responds with a message": ["the answer"],
      "the agent responds with a stream of one message": ["the events"],
      "data contains null": ["the answer"],
      "a message starts a task that completes": ["what goes wrong"],
      "a stream starts a task that completes": ["the events"],
      "an agent activates an extension": ["what goes wrong"],
    },
  }),
  pin([server], protobuf, {
    does: "The server cannot read a file with binary content, nor the request that contains it.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes.",
    at: {
      "the agent responds with a message": ["what the server is asked", "the answer"],
      "a message starts a task that completes": ["what the server is asked", "what goes wrong"],
      "a stream starts a task that completes": ["what the server is asked", "what goes wrong"],
    },
  }),
  pin([server], all, {
    does: "The server ignores configuration.historyLength and returns the whole history.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    at: { "the history is limited when a message is sent": ["the task"] },
  }),
  pin([server], all, {
    does: "A header that lists several extensions is read as a single name.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the header is a comma-separated list.",
    at: { "an agent activates an extension": ["what the server is asked"] },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "The response does not list the active extensions.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": ["the extensions in use"] },
  }),
];

/** Habits of the Go SDK with 0.3. */
export const oldGoHabits: readonly Habit[] = [
  { ...emptyListIsNull, by: [server], over: ["JSONRPC"] },
  { ...bytesTwice, by: [client, server], over: protobuf },
  {
    by: [client],
    over: ["HTTP+JSON"],
    does: "The media type of a file with bytes is dropped.",
    says: "0.3.0, a2a.proto: FilePart.mime_type.",
    without: (value) =>
      mapped(value, (item) => (isBytes(item) ? without(item, "mediaType") : item)),
  },
  {
    by: [server],
    over: protobuf,
    does: "The server never sets final.",
    says: "0.3.0, a2a.proto: TaskStatusUpdateEvent.final is true for the last event of the stream.",
    without: (value) => without(value, "final"),
    isOld: true,
  },
];

/** Returns whether a value is a part of a message with bytes, which may have been taken out. */
function isBytes(value: unknown) {
  return (
    isObject(value) &&
    "mediaType" in value &&
    !["text", "url", "data"].some((name) => name in value)
  );
}
