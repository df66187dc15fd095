import type { Departure } from "../departures.js";
import { at, type Json } from "../json.js";

export const paths = {
  by: ["client of Python SDK 1.3.0"],
  over: ["HTTP+JSON"],
  does: "The client puts ids into paths as they are: what follows `?` or `#` is lost, and a `/` makes it another path.",
  says: "RFC 3986 section 2.2: what is a delimiter elsewhere in a URL is percent-encoded where it is data.",
} as const satisfies Partial<Departure>;

/** Departures of the SDK for Python. */
export const python: readonly Departure[] = [
  {
    ...paths,
    in: ["what is refused"],
    at: [
      "the text about getting an unknown task",
      "canceling an unknown task",
      "the text about canceling an unknown task",
      "subscribing to an unknown task",
      "the text about subscribing to an unknown task",
    ],
  },
  {
    ...paths,
    in: ["push configurations"],
    at: ["what the server is asked", "what is read", "the list after that"],
  },
  {
    by: ["server of Python SDK 1.3.0"],
    over: ["JSONRPC", "HTTP+JSON", "GRPC"],
    in: ["a task that asks, and is answered with a stream"],
    at: ["the events"],
    does: "The stream begins with a change of the status, as agents cannot send a task twice.",
    says: "1.0 section 3.1.2: the stream about a task begins with the task.",
    instead: (events) => {
      const { id: taskId, contextId, status } = at(events, 0, "task") as Json;
      return [{ statusUpdate: { taskId, contextId, status } }, ...(events as readonly unknown[]).slice(1)];
    },
  },
  {
    by: ["server of Python SDK 1.3.0"],
    over: ["JSONRPC", "HTTP+JSON"],
    in: ["an extension"],
    at: ["the extensions in use"],
    does: "An agent has no way to say which extensions it has activated.",
    says: "docs/topics/extensions.md: the answer names the active extensions.",
    instead: () => null,
  },
];
