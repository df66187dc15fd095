import type { Lease, Stored, Webhook, WebhookLease } from "../../kit/store.js";
import type { Codec, TaskCodec } from "../log/codec.js";
import {
  entriesOf,
  eventsOf,
  type RawTask,
  readable,
  storedOf,
  tooLarge,
  webhookOf,
} from "../log/decode.js";
import type { Position } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import type { Reply } from "./engine.js";

/** Parsers for the replies of scripts, in the form that the Lua code builds. */

/** A task in the reply of a script. */
export interface TaskResult extends RawTask {
  /** End of the log. */
  readonly end: Position;
  /** Position of the snapshot in the log. */
  readonly folded: Position;
  /** Number of events after the snapshot. */
  readonly grown: number;
  readonly bytes: number;
  /** Size of the snapshot and the entries after it. */
  readonly logBytes: number;
}

/** Reply of an append. If the append was rejected, all other fields are empty. */
export interface AppendResult {
  readonly outcome: string;
  readonly released: boolean;
  /** Inbox items as JSON. */
  readonly inbox: Reply | undefined;
  readonly isDue: boolean;
  /** Number of entries that were not in the log before. */
  readonly count: number;
  readonly grown: number;
  readonly before: Position;
  readonly end: Position;
  readonly seen: number;
  readonly bytes: number;
}

/** Returns the elements of a list, or an empty list for any other reply. */
export function listOf(reply: Reply | undefined): readonly Reply[] {
  return typeof reply === "string" || reply === null || reply === undefined ? [] : reply;
}

/** Returns a string, or an empty string for any other reply. */
export function textOf(reply: Reply | undefined): string {
  return typeof reply === "string" ? reply : "";
}

/** Parses a position in a log. */
export function positionOf(reply: Reply | undefined): Position {
  const [generation = 0, nth = 0] = textOf(reply).split("-").map(Number);
  return { generation, nth };
}

/**
 * Parses a task.
 * @throws An `UnreadableTaskError` if the task cannot be read.
 */
export function taskOf(id: string, reply: Reply | undefined): TaskResult {
  if (typeof reply === "string") throw tooLarge(id);
  const [task, artifacts, place, last, turn, checkpoint, entries, inbox, bytes, logBytes] =
    listOf(reply);
  const [end, folded] = [positionOf(last), positionOf(place)];
  return readable(id, () => ({
    task: parsed(task),
    artifacts: parsed(artifacts),
    turn: parsed(turn),
    checkpoint: parsed(checkpoint),
    entries: allOf(entries),
    inbox: allOf(inbox),
    generation: end.generation,
    end,
    folded,
    grown: end.generation - folded.generation,
    bytes: Number(bytes),
    logBytes: Number(logBytes),
  }));
}

export function appendResultOf(reply: Reply | undefined): AppendResult {
  const [outcome, released, inbox, isDue, count, grown, before, end, seen, bytes] = listOf(reply);
  return {
    outcome: textOf(outcome),
    released: released === "1",
    inbox,
    isDue: isDue === "1",
    count: Number(count),
    grown: Number(grown),
    before: positionOf(before),
    end: positionOf(end),
    seen: Number(seen),
    bytes: Number(bytes),
  };
}

/** Returns the lease of a claimed task. */
export function leaseOf(reply: Reply, holder: string): Lease {
  const [id, tenant, owner, epoch] = listOf(reply);
  const scope = { tenant: textOf(tenant), owner: textOf(owner) };
  return { id: textOf(id), scope, holder, epoch: Number(epoch) };
}

/**
 * Returns a claimed task.
 * @throws An `UnreadableTaskError` if the task cannot be read.
 */
export function claimedOf({ id }: Lease, reply: Reply, codec: Codec): Stored {
  return readable(id, () => storedOf(taskOf(id, listOf(reply)[4]), codec.of(id)));
}

/** Task, id and epoch of a claimed webhook. */
export interface WebhookRef {
  readonly taskId: string;
  readonly id: string;
  readonly epoch: number;
}

export function webhookRefOf(reply: Reply): WebhookRef {
  const [taskId, id, , , , epoch] = listOf(reply);
  return { taskId: textOf(taskId), id: textOf(id), epoch: Number(epoch) };
}

/**
 * Returns a claimed webhook.
 * @throws An `UnreadableTaskError` if the webhook or its events cannot be read.
 */
export function webhookLeaseOf(reply: Reply, holder: string, codec: Codec): WebhookLease {
  const [task, , body, tenant, owner, epoch, failures, events] = listOf(reply);
  const taskId = textOf(task);
  const own = codec.of(taskId);
  return readable(taskId, () => ({
    webhook: webhookOf(parsed(body), own),
    scope: { tenant: textOf(tenant), owner: textOf(owner) },
    holder,
    epoch: Number(epoch),
    failures: Number(failures),
    events: eventsOf(allOf(events), own),
  }));
}

/**
 * Returns the webhooks of a task, sorted by id.
 * @throws If a webhook has an unknown form.
 */
export function webhooksOf(reply: Reply, codec: TaskCodec): Webhook[] {
  const webhooks = allOf(reply).map((value) => webhookOf(value, codec));
  return webhooks.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * Returns consecutive entries and the position of the last entry, or the task if the entries were
 * removed.
 */
export function batchOf(id: string, reply: Reply, codec: Codec): Batch {
  const list = listOf(reply);
  const task = list.at(2);
  const own = codec.of(id);
  const reset = task === undefined ? undefined : storedOf(taskOf(id, task), own);
  return { entries: entriesOf(allOf(list.at(1)), own), end: positionOf(list.at(0)), reset };
}

/**
 * Parses the strings of a list as JSON.
 * @throws If a string is not JSON.
 */
export function allOf(reply: Reply | undefined): unknown[] {
  const texts = listOf(reply);
  if (texts.length === 0) return [];
  // The script replies with `null` for a missing body.
  const values: unknown = JSON.parse(`[${texts.map((text) => text ?? "null").join(",")}]`);
  return Array.isArray(values) ? values : [];
}

function parsed(reply: Reply | undefined): unknown {
  return typeof reply === "string" ? JSON.parse(reply) : undefined;
}
