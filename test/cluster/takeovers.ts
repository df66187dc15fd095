import type { Log } from "./checks.js";
import type { History, Kill } from "./history.js";

/** Allowed time for other processes to resume a task, in addition to the lease. */
const graceMs = 2_000;

/**
 * Checks that each task of a process that was killed was resumed within its lease and two seconds.
 * Returns the times that it took, in milliseconds.
 */
export function checkTakeovers(
  history: History,
  logs: ReadonlyMap<string, Log>,
  leaseMs: number,
): number[] {
  return history.kills.flatMap((kill) =>
    kill.tasks.flatMap((id) => {
      const took = takeoverOf(history, id, kill, leaseMs);
      // No turn started, the turn had ended, or another process had already claimed the task.
      if (took === undefined || !logs.has(id)) return [];
      if (took > leaseMs + graceMs)
        history.problem(`task ${id} was resumed after ${String(Math.round(took))} ms`);
      return [took];
    }),
  );
}

/** Returns the time until a turn started again, since the last obstacle. */
function takeoverOf(history: History, id: string, { at }: Kill, leaseMs: number) {
  const claimed = (history.claims.get(id) ?? []).filter((claim) => claim.at > at);
  // A turn without any writes starts as if it ran for the first time.
  const next = history.turns
    .get(id)
    ?.find(
      (turn) => turn.at > at && (turn.resumed || claimed.some((claim) => claim.pid === turn.pid)),
    );
  if (next === undefined) return undefined;
  const claims = claimed.filter((claim) => claim.at < next.at);
  // A claimer may be killed or suspended before its turn starts, even during the response of the
  // engine, so that the claimed tasks are unknown. The engine may be unavailable when the lease
  // expires.
  const isClaimer = ({ pid, at: time }: { readonly pid: number; readonly at: number }) =>
    claims.some((claim) => claim.pid === pid) ||
    history.asked.some((call) => call.pid === pid && call.from <= time && time <= call.to);
  const held = [
    ...history.kills.filter(isClaimer),
    ...history.hangs.filter(isClaimer).flatMap(({ from, at: to }) => [{ at: from }, { at: to }]),
  ].map((each) => each.at);
  let since = Math.max(at, ...held.filter((time) => time < next.at));
  // A second outage may start before any process could resume the task.
  for (const { from, to } of history.outages.toSorted((one, other) => one.from - other.from))
    if (from < since + leaseMs + graceMs && to > since && to < next.at) since = to;
  return next.at - since;
}
