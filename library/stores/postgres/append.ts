import { isAtRest, isTerminal, timeOf } from "../../kit/states.js";
import type { Entry } from "../../kit/store.js";
import { errorOf } from "../../kit/thrown.js";
import { type Append, areOnlyEvents, type Verdict } from "../log/append.js";
import type { Codec } from "../log/codec.js";
import { itemsOf, readable } from "../log/decode.js";
import { rejectedAppend } from "../log/log-store.js";
import { watchersOf } from "../log/watchers.js";
import { kindOf, lastStatus, type Position, rowsOf } from "../log/rows.js";
import type { PostgresEngine } from "./log.js";
import type { AppendResult } from "./results.js";

/** Position before all entries. */
const start: Position = { generation: 0, nth: 0 };

/** Appends to the logs of different tasks with one statement. */
export async function appendAll(
  engine: PostgresEngine,
  appends: readonly Append[],
): Promise<readonly Verdict[]> {
  try {
    return await appendTogether(engine, appends);
  } catch (error) {
    // If the server rejects one value, the whole statement fails, so execute the appends
    // separately. Any other failure would also affect separate appends.
    if (appends.length === 1 || !isOfServer(error)) throw error;
    return appends.map(() => "alone");
  }
}

/**
 * Returns whether an error means that the server has rejected a statement. Otherwise, the
 * connection has failed.
 */
function isOfServer(error: unknown): boolean {
  return error instanceof Error && "severity" in error && "code" in error;
}

async function appendTogether(
  { database, codec }: PostgresEngine,
  appends: readonly Append[],
): Promise<readonly Verdict[]> {
  const append = appends.at(0);
  if (
    append !== undefined &&
    appends.length === 1 &&
    append.entries.length === 1 &&
    areOnlyEvents(append)
  )
    return [
      verdictOfEvent(append, await database.textOf("append_one", valuesOfEvent(append)), codec),
    ];
  const rows = await database.rowsOf("append", valuesOf(appends, codec));
  return appends.map((append, at) => verdictOf(append, rows[at]?.["append"], codec));
}

/** Returns the arguments of the SQL function `append_one`. */
function valuesOfEvent({ lease, entries, options, bodies }: Append): unknown[] {
  const { id, holder, epoch } = lease;
  const entry = entries.at(0);
  const last = lastStatus(entries);
  return [
    ...[id, holder, epoch, options.ttlMs ?? null, options.seen ?? null],
    ...[entry?.generation, entry && kindOf(entry)],
    ...[bodies[0], last?.status.state ?? null, last === undefined ? null : timeOf(last.status)],
  ];
}

/**
 * Returns the arguments of the SQL function `append`, in the order of its parameters: for each kind
 * of value, a list with the values of all appends.
 */
function valuesOf(appends: readonly Append[], codec: Codec): unknown[] {
  // Only the database knows the position of the last entry in the log, so it may change the
  // positions of new entries in the same generation.
  const rows = appends.map(({ lease, entries, bodies }) =>
    rowsOf(entries, { generation: -1, nth: 0 }, codec.of(lease.id), bodies),
  );
  const all = rows.flat();
  const statuses = appends.map(({ entries }) => lastStatus(entries));
  return [
    appends.map(({ lease }) => lease.id),
    appends.map(({ lease }) => lease.holder),
    appends.map(({ lease }) => lease.epoch),
    appends.map(({ options }) => options.release ?? false),
    appends.map(({ options }) => options.ttlMs ?? null),
    appends.map(({ options }) => options.seen ?? null),
    appends.map(({ turn }) => turn),
    appends.map(({ checkpoint }) => checkpoint),
    statuses.map((last) => last?.status.state ?? null),
    statuses.map((last) => last && timeOf(last.status)),
    statuses.map((last) => last?.generation ?? null),
    statuses.map((last) => last !== undefined && isTerminal(last.status.state)),
    statuses.map((last) => last !== undefined && isAtRest(last.status.state)),
    rows.map(({ length }) => length),
    appends.map(({ entries }) => areConsecutiveEvents(entries)),
    rows.flatMap((own, at) => own.map(() => at + 1)),
    all.map(({ generation }) => generation),
    all.map(({ nth }) => nth),
    all.map(({ kind }) => kind),
    appends.flatMap(({ entries }) => entries.map((entry) => ("item" in entry ? entry.item : null))),
    all.map(({ body }) => body),
    appends.map(({ options }) => options.taken?.length ?? 0),
    appends.flatMap(({ options }) => options.taken ?? []),
    appends.map(({ options }) => options.wakeInMs ?? null),
  ];
}

/** Returns whether all entries are events with consecutive generations. */
function areConsecutiveEvents(entries: readonly Entry[]): boolean {
  let generation = entries.at(0)?.generation ?? 0;
  for (const entry of entries) {
    if (!("event" in entry) || entry.generation !== generation) return false;
    generation += 1;
  }
  return true;
}

/** Returns the result of an append of one event. */
function verdictOfEvent(append: Append, result: string | undefined, codec: Codec): Verdict {
  // The result is a verdict of `append` if more than the end of the log has changed.
  if (result?.startsWith("{") !== false) return verdictOf(append, result, codec);
  const { entries, options } = append;
  const [bytes, grown, isWatched, ...watchers] = result.split(" ");
  const generation = entries[0]?.generation ?? 0;
  return {
    appended: { inbox: [], released: false, bytes: Number(bytes), seen: options.seen ?? 0 },
    inbox: undefined,
    before: { generation: generation - 1, nth: 0 },
    batch: { entries, end: { generation, nth: 0 } },
    isDue: false,
    grown: Number(grown),
    watchers: watchersOf(isWatched === "1", watchers.join(" ")),
  };
}

function verdictOf(append: Append, result: unknown, codec: Codec): Verdict {
  const { lease, entries } = append;
  const { id } = lease;
  try {
    // The SQL function `append` builds this object. The items of its inbox are checked when they
    // are decoded.
    const found = readable(id, () => JSON.parse(String(result)) as AppendResult);
    if (found.outcome === "locked") return "alone";
    if (found.outcome !== "appended") return rejectedAppend(lease, found.outcome);
    // If a repeated append finds its lease released, the result only has the first members.
    const {
      inbox,
      released,
      bytes,
      grown = 0,
      isWatched = true,
      watchers = "",
      isDue = false,
      count = 0,
      before = start,
      end = start,
    } = found;
    const appended = { inbox: [], released, bytes };
    return {
      appended: found.seen === undefined ? appended : { ...appended, seen: found.seen },
      inbox:
        inbox === undefined || inbox.length === 0
          ? undefined
          : () => readable(id, () => itemsOf(inbox, codec.of(id))),
      before,
      // A repeated append does not deliver entries again, but sends the notification again.
      batch: { entries: count === entries.length ? entries : [], end },
      isDue: isDue || (entries.length > 0 && count === 0),
      grown,
      watchers: watchersOf(isWatched, watchers),
    };
  } catch (error) {
    return errorOf(error);
  }
}
