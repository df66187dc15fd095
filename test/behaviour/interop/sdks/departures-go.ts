import type { Departure, Habit } from "../departures.js";
import { all, mapped, pin, refusals } from "./pins.js";

const [client, server] = ["client of Go SDK 2.4.0", "server of Go SDK 2.4.0"] as const;
const json = ["JSONRPC", "HTTP+JSON"] as const;

/** What the client does with ids in URLs. */
export const rawPaths = {
  does: "Ids stand in paths as they are: the client refuses those that are no URL, and what follows `?` or `#` is lost.",
  says: "RFC 3986 section 2.2: what is a delimiter elsewhere in a URL is percent-encoded where it is data.",
};

/** Departures of the SDK for Go. */
export const go: readonly Departure[] = [
  pin([client], ["JSONRPC"], {
    does: "An error instead of a stream is not seen unless it is an event of one; as an event, other SDKs would not know its class.",
    says: "1.0 section 9.4.2 leaves open how an error before the first event is sent.",
    at: {
      "what is refused": [
        ...refusals.slice(2, 5).filter((what) => what !== "a message to an unknown task"),
        ...["subscribing to an unknown task", "a stream with an unknown task"].map((what) => `the text about ${what}`),
        "subscribing to what has ended",
      ],
    },
  }),
  pin([client], ["HTTP+JSON"], {
    ...rawPaths,
    at: {
      "what is refused": refusals.slice(0, 3).flatMap((what) => [what, `the text about ${what}`]),
      "push configurations": ["what the server is asked", "what is read", "the list after that"],
    },
  }),
  pin([server], all, {
    does: "The server answers with all of the history, whatever configuration.historyLength says.",
    says: "1.0 section 3.2.4: historyLength limits the history of the answer.",
    at: { "a history that is limited when a message is sent": ["the task"] },
  }),
  pin([server], all, {
    does: "A task that has ended takes no message because of invalid parameters, and has no stream because it is not found.",
    says: "1.0 sections 3.1.1 and 3.1.6: UnsupportedOperationError.",
    at: { "what is refused": ["a message to what has ended", "subscribing to what has ended"] },
  }),
  pin([server], all, {
    does: "A push configuration that is not there is no error of A2A.",
    says: "1.0 sections 3.1.7 and 3.1.8: TaskNotFoundError.",
    at: { "push configurations": ["reading what is gone"] },
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
