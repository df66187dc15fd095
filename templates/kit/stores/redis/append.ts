import { isAtRest, isTerminal, timeOf } from "../../states.js";
import type { Append, Verdict } from "../log/append.js";
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
  { engine, codec }: RedisEngine,
  appends: readonly Append[],
): Promise<readonly Verdict[]> {
  const values: (string | number)[] = [appends.length];
  for (const append of appends) write(append, values);
  const verdicts = listOf(await engine.run(appendScript, values));
  return appends.map((append, at) => verdictOf(append, verdicts.at(at), codec));
}

/** Adds the arguments of an append to a list, beginning with their number. */
function write({ lease, entries, options, bodies, turn, checkpoint }: Append, values: (string | number)[]): void {
  const { id, holder, epoch } = lease;
  const { taken = [], release = false, ttlMs = 0, seen = 0 } = options;
  values.push(15 + taken.length + 3 * entries.length, id, holder, epoch, release ? 1 : 0, ttlMs);
  values.push(optional(turn), optional(checkpoint), seen);
  const last = lastStatus(entries);
  if (last === undefined) values.push("", "", "", 0, 0);
  else {
    const { state } = last.status;
    values.push(last.generation, state, timeOf(last.status), isTerminal(state) ? 1 : 0, isAtRest(state) ? 1 : 0);
  }
  values.push(taken.length);
  for (const item of taken) values.push(item);
  values.push(entries.length);
  for (const [at, entry] of entries.entries()) {
    const kind = String(kindOf(entry));
    values.push(entry.generation, "item" in entry ? kind + entry.item : kind, bodies[at] ?? "");
  }
}

function verdictOf(append: Append, reply: Reply | undefined, codec: Codec): Verdict {
  const { lease, entries } = append;
  const found = appendResultOf(reply);
  const { outcome, count, before, end, bytes, isDue, grown, inbox } = found;
  if (outcome === "failed") return explained(new Error(textOf(listOf(reply).at(1))));
  if (outcome === "disorder" || outcome === "lost" || outcome === "forgotten") return rejectedAppend(lease, outcome);
  return {
    appended: { inbox: [], released: found.released || outcome === "released", seen: found.seen, bytes },
    inbox: listOf(inbox).length === 0 ? undefined : () => readable(lease.id, () => itemsOf(allOf(inbox), codec)),
    before,
    batch: { entries: count === entries.length ? entries : [], end },
    isDue,
    grown,
  };
}
