import { without, type Departure, type Habit } from "../departures.js";
import { isObject, type Json } from "../json.js";
import { paths } from "./departures-python.js";
import { all, mapped, noList, otherCard, pin, refusals, withoutBytes } from "./pins.js";

const [client, server] = ["client of Python SDK 0.3.26", "server of Python SDK 0.3.26"] as const;
const protobuf = ["HTTP+JSON", "GRPC"] as const;

/** Departures of the SDK for 0.3. */
export const oldPython: readonly Departure[] = [
  pin([client], protobuf, {
    does: "A file whose bytes are no text cannot be read, and so cannot what it is in.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes.",
    at: {
      "a message that is answered with a message": ["the answer"],
      "a message that is answered with a stream of one message": ["the events"],
      "null in data": ["the answer"],
      "sending work": ["what goes wrong"],
      "streaming work": ["the events"],
      "an extension": ["what goes wrong"],
    },
  }),
  pin([client], all, {
    does: "The client has no methods for the list of push configurations, and to delete one.",
    says: "0.3.0 sections 7.7 and 7.8: tasks/pushNotificationConfig/list and delete.",
    at: { "push configurations": noList },
  }),
  pin([client], ["JSONRPC", "GRPC"], {
    does: "What cannot be deleted is still there.",
    says: "0.3.0 section 7.8: tasks/pushNotificationConfig/delete.",
    at: { "push configurations": ["reading what is gone"] },
  }),
  pin([client], protobuf, {
    does: "An error is a status of HTTP or gRPC, whatever its body or its details say.",
    says: "0.3.0 section 3.2.3: HTTP+JSON and gRPC carry the same errors as JSON-RPC.",
    at: { "what is refused": refusals, "push configurations": ["an unknown task"] },
  }),
  pin([client], ["HTTP+JSON"], {
    ...paths,
    at: { "push configurations": ["what is read"] },
  }),
  pin([client], ["HTTP+JSON"], {
    does: "The extended card is read as if its JSON were that of another type: its security schemes lose their kind.",
    says: "0.3.0 section 5.5: the card is the JSON of AgentCard, wherever it is found.",
    at: { "the extended card": ["the card"] },
  }),
  pin([server], all, {
    does: "Who follows a task is not told when somebody cancels it, and waits for ever.",
    says: "0.3.0 section 7.2.2: the stream ends with an event that is final.",
    at: { "canceling while somebody follows": ["the events"] },
  }),
  pin([server], all, {
    does: "A stream that is resumed begins with the next event, and not with the task.",
    says: "0.3.0 section 7.9 leaves open what it begins with.",
    at: { subscribing: ["the events"] },
  }),
  pin([server], all, {
    does: "Of several push configurations, the first is answered with, whichever is asked for.",
    says: "0.3.0 section 7.6: pushNotificationConfigId says which.",
    at: { "push configurations": ["what is read", "reading what is gone"] },
  }),
  pin([server], protobuf, {
    does: "A file whose bytes are no text cannot be read, and so cannot the request that it is in.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes.",
    at: {
      "a message that is answered with a message": ["what the server is asked", "the answer"],
      "sending work": ["what the server is asked", "what goes wrong"],
      "streaming work": ["what the server is asked", "what goes wrong"],
    },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "An error of a stream breaks the connection, and most others are an unknown exception or a status without a class.",
    says: "0.3.0 section 8: the error says which it is.",
    at: { "what is refused": refusals.slice(2) },
  }),
  pin([server], protobuf, {
    does: "The server has no methods for the list of push configurations, and to delete one.",
    says: "0.3.0, a2a.proto: ListTaskPushNotificationConfig and DeleteTaskPushNotificationConfig.",
    at: { "push configurations": noList },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "Which extensions are active is only said over JSON-RPC.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the answer names the active extensions.",
    at: { "an extension": ["the extensions in use"] },
  }),
  pin([server], ["GRPC"], {
    does: "GetAgentCard answers with the public card.",
    says: "0.3.0 section 7.10: the call gives the authenticated extended card.",
    at: otherCard,
  }),
];

const old = {
  by: [client, server],
  over: protobuf,
} as const satisfies Partial<Habit>;

/** What the SDK makes of bytes in the messages of the proto of 0.3. */
export const bytesTwice: Omit<Habit, "by" | "over"> = {
  does: "The bytes of a file are written as base64 of base64, and read as if they were text.",
  says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64.",
  without: withoutBytes,
};

/** Habits of the SDK for Python. */
export const oldPythonHabits: readonly Habit[] = [
  {
    ...old,
    does: "The time of a status is lost on the way from and to the message of the proto.",
    says: "0.3.0, a2a.proto: TaskStatus.timestamp.",
    without: (value) => without(value, "timestamp"),
  },
  { ...old, ...bytesTwice },
  {
    ...old,
    by: [client],
    does: "A status without a message is read as one with a message without content.",
    says: "0.3.0, a2a.proto: TaskStatus.update is absent where there is none.",
    without: (value) => mapped(value, (item) => (isObject(item) && isEmptyMessage(item) ? undefined : item)),
  },
  {
    ...old,
    by: [server],
    does: "A configuration that does not limit the history is read as one that limits it to 0.",
    says: "0.3.0, a2a.proto: 0 of history_length is what an absent one is.",
    without: (value) => mapped(value, (item, name) => (name === "historyLength" && item === 0 ? undefined : item)),
  },
];

function isEmptyMessage({ kind, messageId, parts = [] }: Json): boolean {
  return kind === "message" && !messageId && Array.isArray(parts) && parts.length === 0;
}
