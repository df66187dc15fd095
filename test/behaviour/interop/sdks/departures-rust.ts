import type { Departure } from "../departures.js";
import { paths } from "./departures-python.js";
import { all, pin } from "./pins.js";

const [client, server] = ["client of Rust SDK 0.5.3", "server of Rust SDK 0.5.3"] as const;

/** Departures of the SDK for Rust. */
export const rust: readonly Departure[] = [
  pin([client], ["HTTP+JSON"], {
    ...paths,
    at: {
      "the server refuses invalid calls": [
        "the text about getting an unknown task",
        "canceling an unknown task",
        "the text about canceling an unknown task",
        "the text about subscribing to an unknown task",
      ],
      "the server stores push configurations": [
        "what the server is asked",
        "what is read",
        "the list after that",
      ],
    },
  }),
  pin([server], ["HTTP+JSON"], {
    does: "The server rejects an empty page token in the query.",
    says: "protobuf, field presence: an empty string means that the field is absent.",
    at: { "a client lists tasks": ["all, page by page"] },
  }),
  pin([server], all, {
    does: "The server does not check that the task of a push configuration exists.",
    says: "1.0 section 3.1.7: TaskNotFoundError.",
    at: { "the server stores push configurations": ["an unknown task"] },
  }),
  pin([server], ["JSONRPC", "HTTP+JSON"], {
    does: "The SDK has no API for an agent to report activated extensions.",
    says: "docs/topics/extensions.md: the response lists the active extensions.",
    at: { "an agent activates an extension": { "the extensions in use": () => null } },
  }),
];
