import { without, type Departure, type Habit } from "../departures.js";
import { isObject } from "../json.js";
import { all, mapped, otherCard, pin, refusals, withoutBytes } from "./pins.js";

const [client, server] = ["client of Java SDK 0.3.3.Final", "server of Java SDK 0.3.3.Final"] as const;
const protobuf = ["HTTP+JSON", "GRPC"] as const;

/** Departures of the SDK for Java. */
export const java: readonly Departure[] = [
  pin([client], ["HTTP+JSON"], {
    does: "A history length of one digit has a blank before it in the query, which is no URL.",
    says: "RFC 3986 section 3.4: a query has no blanks.",
    at: {
      "a task that is not waited for": ["what goes wrong"],
      "a long history": ["what the server is asked", "the task with 3 messages", "the task with 1 messages"],
      "leaving a stream": ["the task, which goes on"],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    does: "Ids stand in paths as they are, and errors are looked for in a form of its own alone.",
    says: "RFC 3986 section 2.2, and 0.3.0 section 8: the code says which error it is.",
    at: {
      "what is refused": refusals,
      "push configurations": [
        "what the server is asked",
        "what is read",
        "nothing comes back",
        "the list after that",
        "an unknown task",
      ],
    },
  }),
  pin([client], protobuf, {
    does: "The client gives the card that it has, and asks for no other.",
    says: "0.3.0 section 7.10: the call gives the authenticated extended card.",
    at: otherCard,
  }),
  pin([server], ["GRPC"], {
    does: "GetAgentCard answers with the public card.",
    says: "0.3.0 section 7.10: the call gives the authenticated extended card.",
    at: otherCard,
  }),
  pin([server], all, {
    does: "The server answers with all of the history, whatever configuration.historyLength says.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    at: { "a history that is limited when a message is sent": ["the task"] },
  }),
  pin([server], all, {
    does: "A stream that is resumed begins with the next event, and not with the task.",
    says: "0.3.0 section 7.9 leaves open what it begins with.",
    at: { subscribing: ["the events"] },
  }),
  pin([server], all, {
    does: "Who follows a task may not be told when somebody cancels it.",
    says: "0.3.0 section 7.2.2: the stream ends with an event that is final.",
    isRace: true,
    at: { "canceling while somebody follows": ["the events"] },
  }),
  pin([server], all, {
    does: "A message to a task that is not there starts one with that id.",
    says: "0.3.0 section 8.2: TaskNotFoundError.",
    at: { "what is refused": ["a message to an unknown task", "a stream with an unknown task"] },
  }),
  pin([server], all, {
    does: "A push configuration that is not there is answered with another one of the task.",
    says: "0.3.0 section 7.6: pushNotificationConfigId says which.",
    at: { "push configurations": ["reading what is gone"] },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "The query is read by another name, history_length.",
    says: "0.3.0 section 7.3: the query has historyLength.",
    at: {
      "a long history": ["what the server is asked", "the task with 3 messages", "the task with 1 messages"],
    },
  }),
  pin([server], protobuf, {
    does: "A message with null inside of data is refused.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: { "null in data": ["the answer"] },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "The answer does not name the active extensions.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the answer names the active extensions.",
    at: { "an extension": ["the extensions in use"] },
  }),
];

const both = { by: [client, server], over: protobuf } as const;

/** Habits of the SDK for Java. */
export const javaHabits: readonly Habit[] = [
  {
    ...both,
    does: "The bytes of a file are written as base64 of base64, and read as if they were text.",
    says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes, which ProtoJSON writes as base64.",
    without: withoutBytes,
  },
  {
    ...both,
    does: "The media type of a file is lost on the way from and to the message of the proto.",
    says: "0.3.0, a2a.proto: FilePart.mime_type.",
    without: (value) => without(without(value, "mimeType"), "mediaType"),
  },
  {
    ...both,
    does: "The extensions of a message are lost on the way from and to the message of the proto.",
    says: "0.3.0, a2a.proto: Message.extensions.",
    without: (value) => mapped(value, (item, name) => (name === "extensions" ? undefined : item)),
  },
  {
    ...both,
    does: "An empty object inside of a list of data is null.",
    says: "google/protobuf/struct.proto: an empty Struct is none of NullValue.",
    without: (value) => mapped(value, (item) => (isObject(item) && Object.keys(item).length === 0 ? null : item)),
  },
  {
    ...both,
    by: [server],
    does: "A configuration that does not limit the history is read as one that limits it to 0.",
    says: "0.3.0, a2a.proto: 0 of history_length is what an absent one is.",
    without: (value) => mapped(value, (item, name) => (name === "historyLength" && item === 0 ? undefined : item)),
  },
];
