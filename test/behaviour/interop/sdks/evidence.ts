import type { Binding } from "../peers.js";

/** A side of each SDK of another language, for the version that it speaks. */
const sidesOf = (side: "client" | "server") =>
  ({
    python: `${side} of Python SDK 1.3.0`,
    pythonForOld: `${side} of Python SDK 1.3.0 for 0.3`,
    oldPython: `${side} of Python SDK 0.3.26`,
    go: `${side} of Go SDK 2.4.0`,
    oldGo: `${side} of Go SDK 2.4.0 for 0.3`,
    rust: `${side} of Rust SDK 0.5.3`,
    java: `${side} of Java SDK 0.3.3.Final`,
  }) as const;

/** Clients of the SDKs. */
export const client = sidesOf("client");

/** Servers of the SDKs. */
export const server = sidesOf("server");

/** HTTP+JSON. */
export const rest: readonly Binding[] = ["HTTP+JSON"];

/** Transports whose messages an SDK may convert from and to protobuf. */
export const protobuf: readonly Binding[] = ["HTTP+JSON", "GRPC"];

/** Transports over HTTP. */
export const http: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];

/** All transports. */
export const all: readonly Binding[] = [...http, "GRPC"];

/** The checks of the scenario "the server refuses invalid calls" in every version. */
export const refusals: readonly string[] = [
  "getting an unknown task",
  "canceling an unknown task",
  "subscribing to an unknown task",
  "a message to an unknown task",
  "a stream with an unknown task",
  "canceling what has ended",
];

/** Name of the check of an error text. */
export const textAbout = (what: string) => `the text about ${what}`;

/** Evidence in refused calls. */
export const refusing = (...checks: string[]) => ({ "the server refuses invalid calls": checks });

/** Evidence in push configurations. */
export const storing = (...checks: string[]) => ({
  "the server stores push configurations": checks,
});

/** Evidence that the response does not list the active extensions. */
export const activating = { "an agent activates an extension": ["the extensions in use"] };

/** Evidence that the history of a response is not limited. */
export const limitedSend = { "the history is limited when a message is sent": ["the task"] };

/** Evidence that the history of a task is not limited. */
export const limitedRead = {
  "the history is limited when a task is read": [
    "what the server is asked",
    "the task with 3 messages",
    "the task with 1 messages",
  ],
};

/** Evidence in the events of a subscription. */
export const subscribing = { "a client subscribes to a task": ["the events"] };

/** Evidence in the events of a task that is canceled. */
export const canceling = { "a client cancels a task during a subscription": ["the events"] };

/** Evidence in the stream of a reply. */
export const answering = { "a task asks for input and gets a streamed reply": ["the events"] };

/** Evidence that ids are not escaped in the paths of push configurations. */
export const storingPaths = storing(
  "what the server is asked",
  "what is read",
  "the list after that",
);

/** Evidence that push configurations cannot be listed or deleted. */
export const unlisted = storing(
  "what the server is asked",
  "the list",
  "the result is empty",
  "the list after that",
);

/** Evidence that the card differs. */
export const otherCard = {
  "a client reads the extended card": [
    "what the server is asked",
    "the skills of the card",
    "the card",
  ],
};
