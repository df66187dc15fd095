import type { Departure, Habit } from "../departures.js";
import { all, mapped, pin, refusals } from "./pins.js";

const [client, server] = ["client of Go SDK 2.4.0", "server of Go SDK 2.4.0"] as const;
const json = ["JSONRPC", "HTTP+JSON"] as const;

/** How the client encodes ids in URLs. */
export const rawPaths = {
  does: "The client does not escape ids in paths. It rejects ids that make an invalid URL, and drops everything after `?` or `#`.",
  says: "RFC 3986 section 2.2: reserved characters in data are percent-encoded.",
};

/** Departures of the SDK for Go. */
export const go: readonly Departure[] = [
  pin([client], ["JSONRPC"], {
    does: "The client only sees an error sent as a stream event. Other SDKs cannot read the class of an error sent this way.",
    says: "1.0 section 9.4.2 does not define how to send an error before the first event.",
    at: {
      "the server refuses invalid calls": [
        ...refusals.slice(2, 5).filter((what) => what !== "a message to an unknown task"),
        ...["subscribing to an unknown task", "a stream with an unknown task"].map(
          (what) => `the text about ${what}`,
        ),
        "subscribing to what has ended",
      ],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    ...rawPaths,
    at: {
      "the server refuses invalid calls": refusals
        .slice(0, 3)
        .flatMap((what) => [what, `the text about ${what}`]),
      "the server stores push configurations": [
        "what the server is asked",
        "what is read",
        "the list after that",
      ],
    },
  }),
  pin([server], all, {
    does: "The server ignores configuration.historyLength and returns the whole history.",
    says: "1.0 section 3.2.4: historyLength limits the history in the response.",
    at: { "the history is limited when a message is sent": ["the task"] },
  }),
  pin([server], all, {
    does: "For an ended task, the server rejects a message with InvalidParamsError and a subscription with TaskNotFoundError.",
    says: "1.0 sections 3.1.1 and 3.1.6: UnsupportedOperationError.",
    at: {
      "the server refuses invalid calls": [
        "a message to what has ended",
        "subscribing to what has ended",
      ],
    },
  }),
  pin([server], all, {
    does: "For a missing push configuration, the error is not an A2A error.",
    says: "1.0 sections 3.1.7 and 3.1.8: TaskNotFoundError.",
    at: { "the server stores push configurations": ["reading what is gone"] },
  }),
  pin([server], all, {
    does: "A header that lists several extensions is read as a single name.",
    says: "1.0 section 3.2.6: A2A-Extensions is a comma-separated list.",
    at: { "an agent activates an extension": ["what the server is asked"] },
  }),
  pin([server], json, {
    does: "The response does not list the active extensions.",
    says: "docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": ["the extensions in use"] },
  }),
];

/** How the SDK represents an empty list, in any version. */
export const emptyListIsNull: Omit<Habit, "by" | "over"> = {
  does: "An empty list in data becomes null.",
  says: "google/protobuf/struct.proto: an empty ListValue is not a NullValue.",
  without: (value) =>
    mapped(value, (item) => (Array.isArray(item) && item.length === 0 ? null : item)),
};

/** Habits of the SDK for Go. */
export const goHabits: readonly Habit[] = [{ ...emptyListIsNull, by: [server], over: json }];
