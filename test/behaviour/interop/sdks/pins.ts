import type { Departure, Party } from "../departures.js";
import { isObject } from "../json.js";
import type { Binding } from "../peers.js";

/** All transports. */
export const all: readonly Binding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** What the scenario "what is refused" looks at in every version. */
export const refusals: readonly string[] = [
  "getting an unknown task",
  "canceling an unknown task",
  "subscribing to an unknown task",
  "a message to an unknown task",
  "a stream with an unknown task",
  "canceling what has ended",
];

/** All that it looks at in 1.0. */
export const allRefusals: readonly string[] = [
  ...refusals.flatMap((what) => [what, `the text about ${what}`]),
  "a message to what has ended",
  "subscribing to what has ended",
];

/** Pins one departure of one side to all that shows it: scenarios by their names, and what is seen in each. */
export function pins(
  by: Party,
  over: readonly Binding[],
  {
    at,
    ...more
  }: Pick<Departure, "does" | "says" | "isRace"> & { readonly at: Readonly<Record<string, readonly string[]>> },
): readonly Departure[] {
  return Object.entries(at).map(([name, what]) => ({ by: [by], over, in: [name], at: what, ...more }));
}

/** Replaces what is inside of a value, member by member and item by item; items have no name. */
export function mapped(value: unknown, replace: (item: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapped(replace(item, ""), replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(replace(item, name), replace)]));
}
