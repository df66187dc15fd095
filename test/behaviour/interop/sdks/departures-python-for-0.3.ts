import { without, type Departure, type Habit } from "../departures.js";
import { bytesTwice } from "./departures-python-0.3.js";
import { paths } from "./departures-python.js";
import { all, pin } from "./pins.js";

const [client, server] = [
  "client of Python SDK 1.3.0 for 0.3",
  "server of Python SDK 1.3.0 for 0.3",
] as const;
const protobuf = ["HTTP+JSON", "GRPC"] as const;

/** Departures of the SDK for Python for 1.0 where it speaks 0.3. */
export const pythonForOld: readonly Departure[] = [
  pin([client], protobuf, {
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
  pin([client], ["HTTP+JSON"], {
    ...paths,
    at: {
      "the server refuses invalid calls": [
        "canceling an unknown task",
        "subscribing to an unknown task",
      ],
      "the server stores push configurations": ["what is read"],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    does: "The client cannot list or delete push configurations.",
    says: "0.3.0 sections 7.7 and 7.8: tasks/pushNotificationConfig/list and delete.",
    at: {
      "the server stores push configurations": [
        "what the server is asked",
        "the list",
        "the result is empty",
        "the list after that",
      ],
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
    does: "The stream starts with a status update, because agents cannot send a task twice.",
    says: "0.3.0 section 7.2 does not define the first event.",
    at: { "a task asks for input and gets a streamed reply": ["the events"] },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "An error before the first event of a stream breaks the connection.",
    says: "0.3.0 section 8.2: TaskNotFoundError.",
    at: {
      "the server refuses invalid calls": [
        "subscribing to an unknown task",
        "a stream with an unknown task",
      ],
    },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "The server has no route to delete a push configuration.",
    says: "0.3.0 section 7.8: tasks/pushNotificationConfig/delete.",
    at: {
      "the server stores push configurations": [
        "what the server is asked",
        "the result is empty",
        "the list after that",
        "reading what is gone",
      ],
    },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "The SDK has no API for an agent to report activated extensions.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": ["the extensions in use"] },
  }),
];

/** Habits of the SDK for Python for 1.0 where it speaks 0.3. */
export const pythonForOldHabits: readonly Habit[] = [
  { ...bytesTwice, by: [client, server], over: protobuf },
  {
    by: [server],
    over: all,
    does: "If a task pauses for input, the stream ends without a final event.",
    says: "0.3.0 section 7.2.2: final is true for the last event of the stream.",
    without: (value) => without(value, "final"),
    isOld: true,
  },
];
