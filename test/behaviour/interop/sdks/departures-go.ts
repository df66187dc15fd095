import type { Departure, Habit } from "../departures.js";
import { all, allRefusals, mapped, pin } from "./pins.js";

const [client, server] = ["client of Go SDK 2.2.0", "server of Go SDK 2.2.0"] as const;
const json = ["JSONRPC", "HTTP+JSON"] as const;
const nested = {
  does: "The SDK has a configuration inside of another object, as `config`, and a list without an object around it.",
  says: "1.0.1, a2a.proto: TaskPushNotificationConfig has url, id, token and authentication itself.",
};

/** Departures of the SDK for Go. */
export const go: readonly Departure[] = [
  pin([client], ["JSONRPC"], {
    does: "The data of an error has to be an object, and an error instead of a stream has to be an event of one.",
    says: "1.0 section 9.5: data is an array of details.",
    at: { "what is refused": allRefusals },
  }),
  pin([client], ["HTTP+JSON"], {
    does: "Ids stand in paths as they are, and errors have no class, as they are read by a status of 1.0.0.",
    says: "RFC 3986 section 2.2, and 1.0 section 11.6: the reason in the details says which error it is.",
    at: { "what is refused": allRefusals },
  }),
  pin([client], ["GRPC"], {
    does: "FAILED_PRECONDITION is an internal error, unless the task cannot be canceled.",
    says: "1.0 section 10.6: the reason in the details says which error it is.",
    at: { "what is refused": ["a message to what has ended", "subscribing to what has ended"] },
  }),
  pin([client], json, {
    ...nested,
    at: {
      "push configurations": [
        "what the server is asked to make",
        "what was made",
        "what is read",
        "the list",
        "the list after that",
        "reading what is gone",
        "an unknown task",
      ],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    ...nested,
    at: { "push configurations": ["what the server is asked"] },
  }),
  pin([server], all, {
    does: "The server answers with all of the history, whatever configuration.historyLength says.",
    says: "1.0 section 3.2.4: historyLength limits the history of the answer.",
    at: { "a history that is limited when a message is sent": ["the task"] },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "A history length of 0 in the query is read as none.",
    says: "1.0 section 3.2.4: 0 asks for no history.",
    at: { "listing tasks": ["what the server is asked", "all, page by page"] },
  }),
  pin([server], all, {
    does: "A task that has ended takes no message because of invalid parameters, and has no stream because it is not found.",
    says: "1.0 sections 3.1.1 and 3.1.6: UnsupportedOperationError.",
    at: { "what is refused": ["a message to what has ended", "subscribing to what has ended"] },
  }),
  pin([server], json, {
    ...nested,
    at: {
      "push configurations": [
        "what the server is asked to make",
        "what was made",
        "what is read",
        "the list",
        "the list after that",
      ],
    },
  }),
  pin([server], all, {
    does: "What a push configuration belongs to is not looked for, nor is a configuration that is not there an error of A2A.",
    says: "1.0 sections 3.1.7 and 3.1.8: TaskNotFoundError.",
    at: { "push configurations": ["reading what is gone", "an unknown task"] },
  }),
  pin([server], all, {
    does: "A header with several extensions is read as one with a single name.",
    says: "1.0 section 3.2.6: A2A-Extensions is a list with commas.",
    at: { "an extension": ["what the server is asked"] },
  }),
  pin([server], json, {
    does: "The answer does not name the active extensions.",
    says: "docs/topics/extensions.md: the answer names the active extensions.",
    at: { "an extension": ["the extensions in use"] },
  }),
];

/** What the SDK makes of a list that is empty, in any version. */
export const emptyListIsNull: Omit<Habit, "by" | "over"> = {
  does: "A list inside of data is null where it is empty.",
  says: "google/protobuf/struct.proto: an empty ListValue is none of NullValue.",
  without: (value) => mapped(value, (item) => (Array.isArray(item) && item.length === 0 ? null : item)),
};

/** Habits of the SDK for Go. */
export const goHabits: readonly Habit[] = [{ ...emptyListIsNull, by: [server], over: json }];
