import { without, type Departure, type Party } from "../departures.js";
import { isObject } from "../json.js";
import type { Binding } from "../peers.js";

/** All transports. */
export const all: readonly Binding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** The checks of the scenario "the server refuses invalid calls" in every version. */
export const refusals: readonly string[] = [
  "getting an unknown task",
  "canceling an unknown task",
  "subscribing to an unknown task",
  "a message to an unknown task",
  "a stream with an unknown task",
  "canceling what has ended",
];

/** Pins a departure to the sides that have it, and to all that shows it. */
export function pin(
  by: readonly Party[],
  over: readonly Binding[],
  more: Omit<Departure, "by" | "over">,
): Departure {
  return { by, over, ...more };
}

/** Evidence that the card differs. */
export const otherCard: Departure["at"] = {
  "a client reads the extended card": [
    "what the server is asked",
    "the skills of the card",
    "the card",
  ],
};

/** Evidence that listing and deleting push configurations is missing. */
export const noList = [
  "what the server is asked",
  "the list",
  "the result is empty",
  "the list after that",
] as const;

/** Replaces what is inside of a value, member by member and item by item; items have no name. */
export function mapped(value: unknown, replace: (item: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapped(replace(item, ""), replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapped(replace(item, name), replace)]),
  );
}

/**
 * Removes the bytes of files from a value, with the names of 0.3 and, if an adapter converts, of
 * the model of 1.0.
 */
export function withoutBytes(value: unknown): unknown {
  return without(without(value, "bytes"), "raw");
}
