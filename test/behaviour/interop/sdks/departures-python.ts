import type { Departure } from "../departures.js";
import { at, type Json } from "../json.js";
import { all, pin } from "./pins.js";

const [client, server] = ["client of Python SDK 1.3.0", "server of Python SDK 1.3.0"] as const;

/** How both releases handle paths. */
export const paths = {
  does: "The client does not escape ids in paths: everything after `?` or `#` is dropped, and a `/` changes the path.",
  says: "RFC 3986 section 2.2: reserved characters in data are percent-encoded.",
};

/** Departures of the SDK for Python. */
export const python: readonly Departure[] = [
  pin([client], ["HTTP+JSON"], {
    ...paths,
    at: {
      "the server refuses invalid calls": [
        "the text about getting an unknown task",
        "canceling an unknown task",
        "the text about canceling an unknown task",
        "subscribing to an unknown task",
        "the text about subscribing to an unknown task",
      ],
      "the server stores push configurations": [
        "what the server is asked",
        "what is read",
        "the list after that",
      ],
    },
  }),
  pin([server], all, {
    does: "The stream starts with a status update, because agents cannot send a task twice.",
    says: "1.0 section 3.1.2: the stream starts with the task.",
    at: {
      "a task asks for input and gets a streamed reply": {
        "the events": (events) => {
          const { id: taskId, contextId, status } = at(events, 0, "task") as Json;
          return [
            { statusUpdate: { taskId, contextId, status } },
            ...(events as readonly unknown[]).slice(1),
          ];
        },
      },
    },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "The SDK has no API for an agent to report activated extensions.",
    says: "docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": { "the extensions in use": () => null } },
  }),
];
