import type { Log } from "./checks.js";
import type { History, Kill } from "./history.js";

/** How long others may take to go on, beyond the lease. */
const graceMs = 2_000;

/**
 * Checks that each task of a process that was killed was resumed within its lease and two seconds. Returns the times
 * that it took, in milliseconds.
 */
export function checkTakeovers(history: History, logs: ReadonlyMap<string, Log>, leaseMs: number): number[] {
  return history.kills.flatMap((kill) =>
    kill.tasks.flatMap((id) => {
      const took = takeoverOf(history, id, kill, leaseMs);
      // Where no turn began, the one of the process had ended, or somebody else had the task already.
      if (took === undefined || !logs.has(id)) return [];
      if (took > leaseMs + graceMs) history.problem(`task ${id} was resumed after ${String(Math.round(took))} ms`);
      return [took];
    }),
  );
}

/** Returns how long it took until a turn began anew, since the last thing that held it up. */
function takeoverOf(history: History, id: string, { at }: Kill, leaseMs: number): number | undefined {
  const claimed = (history.claims.get(id) ?? []).filter((claim) => claim.at > at);
  // A turn that had written nothing begins as if it was the first time.
  const next = history.turns
    .get(id)
    ?.find((turn) => turn.at > at && (turn.resumed || claimed.some((claim) => claim.pid === turn.pid)));
  if (next === undefined) return undefined;
  const claims = claimed.filter((claim) => claim.at < next.at);
  // A claimer may be killed or hang before its turn begins, also while the engine answers it, when nobody knows what it
  // has claimed; the engine may be away when the lease expires.
  const isClaimer = ({ pid, at: time }: { readonly pid: number; readonly at: number }): boolean =>
    claims.some((claim) => claim.pid === pid) ||
    history.asked.some((call) => call.pid === pid && call.from <= time && time <= call.to);
  const held = [
    ...history.kills.filter(isClaimer),
    ...history.hangs.filter(isClaimer).flatMap(({ from, at: to }) => [{ at: from }, { at: to }]),
  ].map((each) => each.at);
  let since = Math.max(at, ...held.filter((time) => time < next.at));
  // One outage may follow another before anybody could go on.
  for (const { from, to } of history.outages.toSorted((one, other) => one.from - other.from))
    if (from < since + leaseMs + graceMs && to > since && to < next.at) since = to;
  return next.at - since;
}
