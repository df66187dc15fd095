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

/**
 * Checks that each task that slept until a time was woken within a lease and two seconds after it.
 * Returns the delays in milliseconds.
 */
export function checkNaps(history: History, leaseMs: number): number[] {
  return [...history.turns].flatMap(([id, turns]) =>
    turns.flatMap((turn) => {
      const due = turn.woken?.by === "time" && !turn.resumed ? turn.woken.due : undefined;
      if (due === undefined) return [];
      const late = turn.at - lastObstacle(history, id, due, turn.at, leaseMs);
      if (late > leaseMs + graceMs)
        history.problem(`task ${id} was woken ${String(Math.round(late))} ms after its time`);
      return [late];
    }),
  );
}

/** Returns the time until a turn started again, since the last obstacle. */
function takeoverOf(history: History, id: string, { at }: Kill, leaseMs: number) {
  const later = (history.turns.get(id) ?? []).filter((turn) => turn.at > at);
  // A task that has fallen asleep before the kill waits for what wakes it.
  if (later[0]?.woken !== undefined && !later[0].resumed) return undefined;
  const claims = claimsOf(history, id, at);
  // A turn without any writes starts as if it ran for the first time.
  const next = later.find((turn) => turn.resumed || claims.some(({ pid }) => pid === turn.pid));
  if (next === undefined) return undefined;
  return next.at - lastObstacle(history, id, at, next.at, leaseMs);
}

function claimsOf(history: History, id: string, from: number) {
  return (history.claims.get(id) ?? []).filter((claim) => claim.at > from);
}

/**
 * Returns the last time from `from` to `to` at which something prevented processes from beginning a
 * turn of a task; `from` if nothing did.
 */
function lastObstacle(history: History, id: string, from: number, to: number, leaseMs: number) {
  const claims = claimsOf(history, id, from).filter((claim) => claim.at < to);
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
  let since = Math.max(from, ...held.filter((time) => time < to));
  // A second outage may start before any process could resume the task.
  for (const outage of history.outages.toSorted((one, other) => one.from - other.from))
    if (outage.from < since + leaseMs + graceMs && outage.to > since && outage.to < to)
      since = outage.to;
  return since;
}
