import { without, type Departure, type Party } from "../departures.js";
import { isObject } from "../json.js";
import type { Binding } from "../peers.js";

/** All transports. */
export const all: readonly Binding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** What the scenario "the server refuses invalid calls" looks at in every version. */
export const refusals: readonly string[] = [
  "getting an unknown task",
  "canceling an unknown task",
  "subscribing to an unknown task",
  "a message to an unknown task",
  "a stream with an unknown task",
  "canceling what has ended",
];

/** Pins a departure to the sides that have it, and to all that shows it. */
export function pin(by: readonly Party[], over: readonly Binding[], more: Omit<Departure, "by" | "over">): Departure {
  return { by, over, ...more };
}

/** What shows that a card is another one. */
export const otherCard: Departure["at"] = {
  "a client reads the extended card": ["what the server is asked", "the skills of the card", "the card"],
};

/** What shows that the list of push configurations, and deleting one, is missing. */
export const noList = ["what the server is asked", "the list", "nothing comes back", "the list after that"] as const;

/** Replaces what is inside of a value, member by member and item by item; items have no name. */
export function mapped(value: unknown, replace: (item: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapped(replace(item, ""), replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(replace(item, name), replace)]));
}

/** Takes the bytes of files out of a value, as 0.3 calls them, and as the model of 1.0 does where an adapter translates. */
export function withoutBytes(value: unknown): unknown {
  return without(without(value, "bytes"), "raw");
}
