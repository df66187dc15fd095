import { isDeepStrictEqual } from "node:util";

const made = /^(id|taskId|contextId|messageId|timestamp)$/;

/**
 * Throws if two sides have not done the same work: if their responses differ in more than ids and
 * times.
 */
export function checkSame(name: string, ours: readonly unknown[], peer: readonly unknown[]): void {
  const [a, b] = [ours, peer].map((responses) => responses.map(withoutMade));
  if (isDeepStrictEqual(a, b) && ours.length > 0) return;
  const shown = [a, b].map((responses) => JSON.stringify(responses?.slice(0, 3), null, 1));
  throw new Error(`${name}: the two sides answer differently: ${shown.join(" but ")}`);
}

/** Returns a response without the values that each server generates. */
function withoutMade(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMade);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    made.test(key) ? "" : withoutMade(member),
  ]);
  return Object.fromEntries(entries);
}
