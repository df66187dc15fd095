import type { Departure, Party, Reason } from "../departures.js";
import type { Binding } from "../peers.js";

/** All transports. */
export const all: readonly Binding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** What the scenario "what is refused" looks at in each version. */
export const refusals: readonly string[] = [
  "getting an unknown task",
  "canceling an unknown task",
  "subscribing to an unknown task",
  "a message to an unknown task",
  "a stream with an unknown task",
  "canceling what has ended",
];

/** Pins one departure of one side to all that shows it: scenarios by their names, and what is seen in each. */
export function pins(
  by: Party,
  over: readonly Binding[],
  { does, says, at }: Pick<Reason, "does" | "says"> & { readonly at: Readonly<Record<string, readonly string[]>> },
): readonly Departure[] {
  return Object.entries(at).map(([name, what]) => ({ by: [by], over, in: [name], at: what, does, says }));
}
