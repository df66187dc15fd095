import { without, type Departure, type Habit } from "../departures.js";
import { isObject, type Json } from "../json.js";
import { paths } from "./departures-python.js";
import { all, mapped, noList, otherCard, pin, refusals, withoutBytes } from "./pins.js";

const [client, server] = ["client of Python SDK 0.3.26", "server of Python SDK 0.3.26"] as const;
const protobuf = ["HTTP+JSON", "GRPC"] as const;

/** Departures of the SDK for 0.3. */
export const oldPython: readonly Departure[] = [
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
  pin([client], all, {
    does: "The client has no methods to list and to delete push configurations.",
    says: "0.3.0 sections 7.7 and 7.8: tasks/pushNotificationConfig/list and delete.",
    at: { "the server stores push configurations": noList },
  }),
  pin([client], ["JSONRPC", "GRPC"], {
    does: "Because the client cannot delete a push configuration, it still exists afterwards.",
    says: "0.3.0 section 7.8: tasks/pushNotificationConfig/delete.",
    at: { "the server stores push configurations": ["reading what is gone"] },
  }),
  pin([client], protobuf, {
    does: "The client reports only the HTTP or gRPC status of an error, and ignores its body and details.",
    says: "0.3.0 section 3.2.3: HTTP+JSON and gRPC carry the same errors as JSON-RPC.",
    at: {
      "the server refuses invalid calls": refusals,
      "the server stores push configurations": ["an unknown task"],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    ...paths,
    at: { "the server stores push configurations": ["what is read"] },
  }),
  pin([client], ["HTTP+JSON"], {
    does: "The client parses the extended card as another type: its security schemes lose their kind.",
    says: "0.3.0 section 5.5: the card is always the JSON of AgentCard.",
    at: { "a client reads the extended card": ["the card"] },
  }),
  pin([server], all, {
    does: "Subscribers are not notified of a cancellation and wait forever.",
    says: "0.3.0 section 7.2.2: the stream ends with an event that is final.",
    at: { "a client cancels a task during a subscription": ["the events"] },
  }),
  pin([server], all, {
    does: "A resumed stream starts with the next event, not with the task.",
    says: "0.3.0 section 7.9 does not define the first event.",
    at: { "a client subscribes to a task": ["the events"] },
  }),
  pin([server], all, {
    does: "The server always returns the first push configuration of a task, whichever id the request has.",
    says: "0.3.0 section 7.6: pushNotificationConfigId selects the configuration.",
    at: { "the server stores push configurations": ["what is read", "reading what is gone"] },
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
  pin([server], ["HTTP+JSON"], {
    does: "An error in a stream breaks the connection. Most other errors arrive as an unknown exception or as a status without a class.",
    says: "0.3.0 section 8: the code identifies the error.",
    at: { "the server refuses invalid calls": refusals.slice(2) },
  }),
  pin([server], protobuf, {
    does: "The server has no methods to list and to delete push configurations.",
    says: "0.3.0, a2a.proto: ListTaskPushNotificationConfig and DeleteTaskPushNotificationConfig.",
    at: { "the server stores push configurations": noList },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "Only JSON-RPC responses list the active extensions.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": ["the extensions in use"] },
  }),
  pin([server], ["GRPC"], {
    does: "GetAgentCard returns the public card.",
    says: "0.3.0 section 7.10: the call returns the authenticated extended card.",
    at: otherCard,
  }),
];

const old = {
  by: [client, server],
  over: protobuf,
} as const satisfies Partial<Habit>;

/** How the SDK represents bytes in the messages of the proto of 0.3. */
export const bytesTwice: Omit<Habit, "by" | "over"> = {
  does: "File bytes are base64-encoded twice when written, and read as if they were text.",
  says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64.",
  without: withoutBytes,
};

/** Habits of the SDK for Python. */
export const oldPythonHabits: readonly Habit[] = [
  {
    ...old,
    does: "The conversion from and to protobuf drops the timestamp of a status.",
    says: "0.3.0, a2a.proto: TaskStatus.timestamp.",
    without: (value) => without(value, "timestamp"),
  },
  { ...old, ...bytesTwice },
  {
    ...old,
    by: [client],
    does: "A status without a message is read as a status with an empty message.",
    says: "0.3.0, a2a.proto: TaskStatus.update is absent if the status has no message.",
    without: (value) =>
      mapped(value, (item) => (isObject(item) && isEmptyMessage(item) ? undefined : item)),
  },
  {
    ...old,
    by: [server],
    does: "If the history length is absent, the server reads it as 0.",
    says: "0.3.0, a2a.proto: 0 means that history_length is absent.",
    without: (value) =>
      mapped(value, (item, name) => (name === "historyLength" && item === 0 ? undefined : item)),
  },
];

function isEmptyMessage({ kind, messageId, parts = [] }: Json) {
  return kind === "message" && !messageId && Array.isArray(parts) && parts.length === 0;
}
