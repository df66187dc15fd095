import type { Departure } from "../departures.js";
import { at, type Json } from "../json.js";
import { all, pin } from "./pins.js";

const [client, server] = ["client of Python SDK 1.3.0", "server of Python SDK 1.3.0"] as const;

/** What both releases do with paths. */
export const paths = {
  does: "The client puts ids into paths as they are: what follows `?` or `#` is lost, and a `/` makes it another path.",
  says: "RFC 3986 section 2.2: what is a delimiter elsewhere in a URL is percent-encoded where it is data.",
};

/** Departures of the SDK for Python. */
export const python: readonly Departure[] = [
  pin([client], ["HTTP+JSON"], {
    ...paths,
    at: {
      "what is refused": [
        "the text about getting an unknown task",
        "canceling an unknown task",
        "the text about canceling an unknown task",
        "subscribing to an unknown task",
        "the text about subscribing to an unknown task",
      ],
      "push configurations": ["what the server is asked", "what is read", "the list after that"],
    },
  }),
  pin([server], all, {
    does: "The stream begins with a change of the status, as agents cannot send a task twice.",
    says: "1.0 section 3.1.2: the stream about a task begins with the task.",
    at: {
      "a task that asks, and is answered with a stream": {
        "the events": (events) => {
          const { id: taskId, contextId, status } = at(events, 0, "task") as Json;
          return [{ statusUpdate: { taskId, contextId, status } }, ...(events as readonly unknown[]).slice(1)];
        },
      },
    },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "An agent has no way to say which extensions it has activated.",
    says: "docs/topics/extensions.md: the answer names the active extensions.",
    at: { "an extension": { "the extensions in use": () => null } },
  }),
];
