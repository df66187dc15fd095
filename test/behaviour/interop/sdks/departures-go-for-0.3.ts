import { without, type Departure, type Habit } from "../departures.js";
import { emptyListIsNull } from "./departures-go.js";
import { pin, refusals } from "./pins.js";

const [client, server] = ["client of Go SDK 2.2.0 for 0.3", "server of Go SDK 2.2.0 for 0.3"] as const;

const both = ["what the server is asked", "what goes wrong"] as const;

/** Departures of the SDK for Go where it speaks 0.3. */
export const oldGo: readonly Departure[] = [
  pin([client, server], ["HTTP+JSON"], {
    does: "The binding is one of its own: its paths have no `/v1`, and its JSON is that of JSON-RPC in snake case.",
    says: "0.3.0, a2a.proto: the paths are those of google.api.http, such as /v1/message:send, with the JSON of the proto.",
    at: {
      "a message that is answered with a message": ["what the server is asked", "the answer"],
      "a message that is answered with a stream of one message": ["the events"],
      "null in data": ["the answer"],
      "sending work": both,
      "sending ask": both,
      "sending auth": both,
      "sending fail": both,
      "sending reject": both,
      "streaming work": both,
      "streaming ask": both,
      "streaming fail": both,
      "a task that asks, and is answered": ["what goes wrong"],
      "a task that asks, and is answered with a stream": ["what goes wrong"],
      "a configuration that does not say whether to wait": both,
      "a task that is not waited for": both,
      "a long history": ["what goes wrong"],
      "a history that is limited when a message is sent": both,
      canceling: ["what goes wrong"],
      "canceling while somebody follows": ["what goes wrong"],
      subscribing: ["what goes wrong"],
      "leaving a stream": ["what goes wrong"],
      "what is refused": [...refusals.slice(0, 5), "what goes wrong"],
      "push configurations": ["what goes wrong"],
      "the extended card": ["what the server is asked", "the skills of the card"],
      "an extension": ["what goes wrong"],
    },
  }),
  pin([server], ["JSONRPC", "GRPC"], {
    does: "The server answers with all of the history, whatever configuration.historyLength says.",
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
    at: { "a history that is limited when a message is sent": ["the task"] },
  }),
  pin([server], ["JSONRPC", "GRPC"], {
    does: "What a push configuration belongs to is not looked for.",
    says: "0.3.0 section 8.2: TaskNotFoundError.",
    at: { "push configurations": ["an unknown task"] },
  }),
  pin([server], ["JSONRPC", "GRPC"], {
    does: "A header with several extensions is read as one with a single name.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the header is a list with commas.",
    at: { "an extension": ["what the server is asked"] },
  }),
  pin([server], ["JSONRPC"], {
    does: "The answer does not name the active extensions.",
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the answer names the active extensions.",
    at: { "an extension": ["the extensions in use"] },
  }),
];

/** Habits of the SDK for Go where it speaks 0.3. */
export const oldGoHabits: readonly Habit[] = [
  { ...emptyListIsNull, by: [server], over: ["JSONRPC"] },
  {
    by: [server],
    over: ["GRPC"],
    does: "No event is final.",
    says: "0.3.0, a2a.proto: TaskStatusUpdateEvent.final is true for the last event of the stream.",
    without: (value) => without(value, "final"),
    isOld: true,
  },
];
