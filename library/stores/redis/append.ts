import { isAtRest, isTerminal, timeOf } from "../../kit/states.js";
import { type Append, areOnlyEvents, type Verdict } from "../log/append.js";
import type { Codec } from "../log/codec.js";
import { itemsOf, readable } from "../log/decode.js";
import { rejectedAppend } from "../log/log-store.js";
import { kindOf, lastStatus } from "../log/rows.js";
import { explained, optional, type Reply } from "./engine.js";
import type { RedisEngine } from "./log.js";
import { allOf, appendResultOf, listOf, textOf } from "./results.js";
import { appendScript } from "./scripts/append.js";

/** Appends to the logs of different tasks with one script call. */
export async function appendAll(
  { server, codec }: RedisEngine,
  appends: readonly Append[],
): Promise<readonly Verdict[]> {
  const values: (string | number)[] = [appends.length];
  for (const append of appends) {
    // Notifications of several changes separate them by newlines.
    if (areOnlyEvents(append) && !append.lease.id.includes("\n")) writeEvents(append, values);
    else writeAppend(append, values);
  }
  const verdicts = listOf(await server.run(appendScript, values));
  return appends.map((append, at) => verdictOf(append, verdicts.at(at), codec));
}

/**
 * Adds the arguments of an append for which {@link areOnlyEvents} is `true`: `+` and their number,
 * eight values of the append, and three values of each entry.
 */
function writeEvents(
  { lease, entries, options, bodies }: Append,
  values: (string | number)[],
): void {
  const { id, holder, epoch } = lease;
  const last = lastStatus(entries);
  values.push(
    `+${String(8 + 3 * entries.length)}`,
    id,
    holder,
    epoch,
    `${String((entries[0]?.generation ?? 0) - 1)}-0`,
  );
  values.push(
    options.ttlMs ?? 0,
    options.seen ?? 0,
    last?.status.state ?? "",
    last === undefined ? "" : timeOf(last.status),
  );
  for (const [at, entry] of entries.entries())
    values.push(`${String(entry.generation)}-0`, kindOf(entry), bodies[at] ?? "");
}

/**
 * Adds the arguments of an append: their number, 16 values including the lengths of both lists, the
 * taken items, and three values of each entry.
 */
function writeAppend(
  { lease, entries, options, bodies, turn, checkpoint }: Append,
  values: (string | number)[],
): void {
  const { id, holder, epoch } = lease;
  const { taken = [], release = false, wakeInMs, ttlMs = 0, seen = 0 } = options;
  values.push(16 + taken.length + 3 * entries.length, id, holder, epoch, release ? 1 : 0, ttlMs);
  values.push(optional(turn), optional(checkpoint), seen);
  const last = lastStatus(entries);
  if (last === undefined) values.push("", "", "", 0, 0);
  else {
    const { state } = last.status;
    values.push(
      last.generation,
      state,
      timeOf(last.status),
      isTerminal(state) ? 1 : 0,
      isAtRest(state) ? 1 : 0,
    );
  }
  values.push(optional(wakeInMs), taken.length);
  for (const item of taken) values.push(item);
  values.push(entries.length);
  for (const [at, entry] of entries.entries()) {
    const kind = String(kindOf(entry));
    values.push(entry.generation, "item" in entry ? kind + entry.item : kind, bodies[at] ?? "");
  }
}

function verdictOf(append: Append, reply: Reply | undefined, codec: Codec): Verdict {
  if (typeof reply === "string") return appendedEvents(append, Number(reply));
  const { lease, entries } = append;
  const found = appendResultOf(reply);
  const { outcome, count, before, end, bytes, isDue, grown, inbox } = found;
  if (outcome === "failed") return explained(new Error(textOf(listOf(reply).at(1))));
  if (outcome === "disorder" || outcome === "lost" || outcome === "forgotten")
    return rejectedAppend(lease, outcome);
  return {
    appended: {
      inbox: [],
      released: found.released || outcome === "released",
      seen: found.seen,
      bytes,
    },
    inbox:
      listOf(inbox).length === 0
        ? undefined
        : () => readable(lease.id, () => itemsOf(allOf(inbox), codec.of(lease.id))),
    before,
    batch: { entries: count === entries.length ? entries : [], end },
    isDue,
    grown,
  };
}

/**
 * Returns the result of an append that only added events, for which the script replies with the
 * size of the task. Such an append is never followed by a compaction, so the number of events after
 * the snapshot is not known.
 */
function appendedEvents({ entries, options }: Append, bytes: number): Verdict {
  const first = entries.at(0)?.generation ?? 0;
  return {
    appended: { inbox: [], released: false, seen: options.seen ?? 0, bytes },
    inbox: undefined,
    before: { generation: first - 1, nth: 0 },
    batch: { entries, end: { generation: first - 1 + entries.length, nth: 0 } },
    isDue: false,
    grown: 0,
  };
}
