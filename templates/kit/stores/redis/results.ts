import type { Entry, EventEntry, InboxItem, Lease, Stored, Webhook, WebhookLease } from "../../store.js";
import { type Parts, type Position, storedOf } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import type { Reply } from "./engine.js";

/** What scripts reply with: these functions say what their Lua builds. */

/** What a script replies with of a task. */
export interface TaskResult extends Parts {
  /** Where the log ends. */
  readonly end: Position;
  /** How many events there were since the snapshot. */
  readonly grown: number;
}

/** What an append replies with; the rest is not there where it was refused. */
export interface AppendResult {
  readonly outcome: "appended" | "released" | "forgotten" | "lost" | "disorder";
  readonly released: boolean;
  readonly inbox: readonly InboxItem[];
  readonly isDue: boolean;
  /** How many entries were new. */
  readonly count: number;
  readonly grown: number;
  readonly before: Position;
  readonly end: Position;
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

export function taskOf(reply: Reply | undefined): TaskResult {
  const [task, artifacts, folded, last, turn, checkpoint, entries, inbox] = listOf(reply);
  const end = positionOf(last);
  return {
    // The store has written what it reads.
    task: parsed(task) as TaskResult["task"],
    artifacts: parsed(artifacts) as TaskResult["artifacts"],
    entries: allOf(entries) as Entry[],
    inbox: allOf(inbox) as InboxItem[],
    turn: parsed(turn) as InboxItem,
    checkpoint: parsed(checkpoint),
    ...{ generation: end.generation, end, grown: end.generation - positionOf(folded).generation },
  };
}

export function appendResultOf(reply: Reply): AppendResult {
  const [outcome, released, inbox, isDue, count, grown, before, end] = listOf(reply);
  return {
    outcome: textOf(outcome) as AppendResult["outcome"],
    released: released === "1",
    inbox: allOf(inbox) as InboxItem[],
    isDue: isDue === "1",
    ...{ count: Number(count), grown: Number(grown), before: positionOf(before), end: positionOf(end) },
  };
}

export function leasedOf(reply: Reply, holder: string): { readonly lease: Lease; readonly stored: Stored } {
  const [id, tenant, owner, epoch, task] = listOf(reply);
  const scope = { tenant: textOf(tenant), owner: textOf(owner) };
  return { lease: { id: textOf(id), scope, holder, epoch: Number(epoch) }, stored: storedOf(taskOf(task)) };
}

export function webhookLeaseOf(reply: Reply, holder: string): WebhookLease {
  const [body, tenant, owner, epoch, failures, events] = listOf(reply);
  return {
    webhook: parsed(body) as Webhook,
    scope: { tenant: textOf(tenant), owner: textOf(owner) },
    ...{ holder, epoch: Number(epoch), failures: Number(failures), events: allOf(events) as EventEntry[] },
  };
}

/** Returns the webhooks of a task in the order of their ids. */
export function webhooksOf(reply: Reply): Webhook[] {
  const webhooks = allOf(reply) as Webhook[];
  return webhooks.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns entries that follow each other, and where the last of them is; the task, where they have gone. */
export function batchOf(reply: Reply): Batch {
  const list = listOf(reply);
  const task = list.at(2);
  const reset = task === undefined ? undefined : storedOf(taskOf(task));
  return { entries: allOf(list.at(1)) as Entry[], end: positionOf(list.at(0)), reset };
}

function parsed(reply: Reply | undefined): unknown {
  return typeof reply === "string" ? JSON.parse(reply) : undefined;
}

function allOf(reply: Reply | undefined): unknown[] {
  const texts = listOf(reply);
  return texts.length === 0 ? [] : (JSON.parse(`[${texts.join(",")}]`) as unknown[]);
}
