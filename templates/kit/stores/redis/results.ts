import type { Lease, Stored, Webhook, WebhookLease } from "../../store.js";
import type { Codec } from "../log/codec.js";
import { entriesOf, eventsOf, type RawTask, readable, storedOf, tooLarge, webhookOf } from "../log/decode.js";
import type { Position } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import type { Reply } from "./engine.js";

/** The replies of scripts: these functions match what their Lua builds. */

/** What a script replies with of a task. */
export interface TaskResult extends RawTask {
  /** Where the log ends. */
  readonly end: Position;
  /** Position of the snapshot in the log. */
  readonly folded: Position;
  /** How many events there were since the snapshot. */
  readonly grown: number;
  readonly bytes: number;
  /** Size of the snapshot and the entries since. */
  readonly logBytes: number;
}

/** What an append replies with; the rest is empty if it was refused. */
export interface AppendResult {
  readonly outcome: string;
  readonly released: boolean;
  /** Bodies of items as JSON. */
  readonly inbox: Reply | undefined;
  readonly isDue: boolean;
  /** How many entries were new. */
  readonly count: number;
  readonly grown: number;
  readonly before: Position;
  readonly end: Position;
  readonly seen: number;
  readonly bytes: number;
}

/** Returns the members of a list. */
export function listOf(reply: Reply | undefined): readonly Reply[] {
  return typeof reply === "string" || reply === null || reply === undefined ? [] : reply;
}

/** Returns a text; an empty one for anything else. */
export function textOf(reply: Reply | undefined): string {
  return typeof reply === "string" ? reply : "";
}

/** Returns where in a log something is. */
export function positionOf(reply: Reply | undefined): Position {
  const [generation = 0, nth = 0] = textOf(reply).split("-").map(Number);
  return { generation, nth };
}

/** Parses a task. Throws an `UnreadableTaskError` for a task that cannot be read. */
export function taskOf(id: string, reply: Reply | undefined): TaskResult {
  if (typeof reply === "string") throw tooLarge(id);
  const [task, artifacts, place, last, turn, checkpoint, entries, inbox, bytes, logBytes] = listOf(reply);
  const [end, folded] = [positionOf(last), positionOf(place)];
  return readable(id, () => ({
    ...{ task: parsed(task), artifacts: parsed(artifacts), turn: parsed(turn), checkpoint: parsed(checkpoint) },
    ...{ entries: allOf(entries), inbox: allOf(inbox), generation: end.generation, end, folded },
    ...{ grown: end.generation - folded.generation, bytes: Number(bytes), logBytes: Number(logBytes) },
  }));
}

export function appendResultOf(reply: Reply): AppendResult {
  const [outcome, released, inbox, isDue, count, grown, before, end, seen, bytes] = listOf(reply);
  return {
    outcome: textOf(outcome),
    released: released === "1",
    inbox,
    isDue: isDue === "1",
    ...{ count: Number(count), grown: Number(grown), before: positionOf(before), end: positionOf(end) },
    ...{ seen: Number(seen), bytes: Number(bytes) },
  };
}

/** Returns the lease of a task that was claimed. */
export function leaseOf(reply: Reply, holder: string): Lease {
  const [id, tenant, owner, epoch] = listOf(reply);
  const scope = { tenant: textOf(tenant), owner: textOf(owner) };
  return { id: textOf(id), scope, holder, epoch: Number(epoch) };
}

/** Returns a task that was claimed. Throws an `UnreadableTaskError`. */
export function claimedOf({ id }: Lease, reply: Reply, codec: Codec): Stored {
  return readable(id, () => storedOf(taskOf(id, listOf(reply)[4]), codec));
}

/** The id of a webhook that was claimed, its task, and its epoch. */
export interface WebhookRef {
  readonly taskId: string;
  readonly id: string;
  readonly epoch: number;
}

export function webhookRefOf(reply: Reply): WebhookRef {
  const [taskId, id, , , , epoch] = listOf(reply);
  return { taskId: textOf(taskId), id: textOf(id), epoch: Number(epoch) };
}

/** Returns a webhook that was claimed. Throws an `UnreadableTaskError`. */
export function webhookLeaseOf(reply: Reply, holder: string, codec: Codec): WebhookLease {
  const [taskId, , body, tenant, owner, epoch, failures, events] = listOf(reply);
  return readable(textOf(taskId), () => ({
    webhook: webhookOf(parsed(body), codec),
    scope: { tenant: textOf(tenant), owner: textOf(owner) },
    ...{ holder, epoch: Number(epoch), failures: Number(failures), events: eventsOf(allOf(events), codec) },
  }));
}

/** Returns the webhooks of a task in the order of their ids. Throws for those of another shape. */
export function webhooksOf(reply: Reply, codec: Codec): Webhook[] {
  const webhooks = allOf(reply).map((value) => webhookOf(value, codec));
  return webhooks.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns entries that follow each other, and where the last of them is; the task, where they have gone. */
export function batchOf(id: string, reply: Reply, codec: Codec): Batch {
  const list = listOf(reply);
  const task = list.at(2);
  const reset = task === undefined ? undefined : storedOf(taskOf(id, task), codec);
  return { entries: entriesOf(allOf(list.at(1)), codec), end: positionOf(list.at(0)), reset };
}

/** Parses the bodies of a list. Throws for those that are not JSON. */
export function allOf(reply: Reply | undefined): unknown[] {
  const texts = listOf(reply);
  if (texts.length === 0) return [];
  // The script replies with an empty place for a body that is missing.
  const values: unknown = JSON.parse(`[${texts.map((text) => text ?? "null").join(",")}]`);
  return Array.isArray(values) ? values : [];
}

function parsed(reply: Reply | undefined): unknown {
  return typeof reply === "string" ? JSON.parse(reply) : undefined;
}
