import { isObject } from "../../../runtime/base/json.js";
import type { Artifact, Task } from "../../model.js";
import { withInbox } from "../../log/fold.js";
import { isSameWebhook } from "../../memory/same-webhook.js";
import {
  type Entry,
  type EventEntry,
  type InboxItem,
  type ListedTask,
  type Stored,
  type StoredTask,
  UnreadableTaskError,
  type Webhook,
} from "../../store.js";
import { errorOf } from "../../thrown.js";
import { type Codec, takenMember, type TakenItems } from "./codec.js";
import { withMessage } from "./large.js";
import { foldedOf, type Parts } from "./rows.js";

/**
 * Bytes of a task that can be read. JavaScript has no string of 512 MiB, and a client of a database that gets one may end
 * the process. The limits of the task kit refuse messages long before a task is as large.
 */
export const readableBytes: number = 256 * 2 ** 20;

/** A task as a store has read it: nobody has looked at the values. */
export interface RawTask {
  readonly task?: unknown;
  readonly artifacts?: unknown;
  readonly entries?: unknown;
  readonly inbox?: unknown;
  readonly turn?: unknown;
  readonly checkpoint?: unknown;
  readonly generation?: unknown;
  readonly bytes?: unknown;
}

/**
 * Calls a function that reads a task. Whatever it throws is an {@link UnreadableTaskError} of this task, so that other
 * tasks are none the worse for it.
 */
export function readable<T>(taskId: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof UnreadableTaskError) throw thrown;
    const cause = errorOf(thrown);
    throw new UnreadableTaskError(taskId, `The task ${taskId} cannot be read: ${cause.message}`, { cause });
  }
}

/** Calls a function, and adds its error to a list if that is about data that cannot be read. */
export function collect(unreadable: UnreadableTaskError[], call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (!(error instanceof UnreadableTaskError)) throw error;
    unreadable.push(error);
    return false;
  }
}

/** Returns the error for a task that a claim has found to be unreadable before. */
export function parkedError(taskId: string): UnreadableTaskError {
  return new UnreadableTaskError(taskId, `The task ${taskId} cannot be read, and was set aside`);
}

/** Returns the error for a task that is too large to be read. */
export function tooLarge(taskId: string): UnreadableTaskError {
  const most = String(readableBytes / 2 ** 20);
  return new UnreadableTaskError(taskId, `The task ${taskId} cannot be read: it is larger than ${most} MiB`);
}

/** Returns a task with its turn, its checkpoint and its inbox. Throws for values of another shape. */
export function storedOf(raw: RawTask, codec: Codec, posted?: InboxItem): Stored {
  const parts = partsOf(raw, codec);
  const turn = codec.open(raw.turn);
  if (!isItem(turn)) throw wrong("turn");
  const own = withMessage(turn, parts);
  return { ...taskOf(raw, parts, codec, posted), turn: own, checkpoint: codec.open(raw.checkpoint) };
}

/**
 * Returns a task with its inbox. Throws for values of another shape. An item that was just posted is at the end of the
 * inbox, also if that was read without it.
 */
export function waitingOf(raw: RawTask, codec: Codec, posted?: InboxItem): StoredTask {
  return taskOf(raw, partsOf(raw, codec), codec, posted);
}

function taskOf(raw: RawTask, parts: Parts, codec: Codec, posted: InboxItem | undefined): StoredTask {
  const inbox = itemsOf(raw.inbox, codec);
  if (posted !== undefined && inbox.every(({ id }) => id !== posted.id)) inbox.push(posted);
  const task = withInbox(foldedOf(parts), inbox);
  return { task, generation: numberOf(raw.generation, "generation"), inbox, bytes: numberOf(raw.bytes, "size") };
}

/** Returns a task for a list. Throws for values of another shape. */
export function listedOf(raw: RawTask, codec: Codec): ListedTask {
  const task = withInbox(foldedOf(partsOf(raw, codec)), itemsOf(raw.inbox, codec));
  return { task, generation: numberOf(raw.generation, "generation") };
}

/** Returns a snapshot and the entries since. Throws for values of another shape. */
export function partsOf(raw: RawTask, codec: Codec): Parts {
  const task = codec.open(raw.task);
  if (!isTask(task)) throw wrong("snapshot");
  const artifacts = codec.open(raw.artifacts) ?? undefined;
  if (artifacts !== undefined && !areArtifacts(artifacts)) throw wrong("artifacts");
  const entries = entriesOf(raw.entries, codec);
  if (!(takenMember in task)) return { task, artifacts, entries, taken: [] };
  const { [takenMember]: taken, ...own } = task;
  if (!areTaken(taken)) throw wrong("snapshot");
  return { task: own, artifacts, entries, taken };
}

/** Returns the entries of a list that was parsed. Throws for values of another shape. */
export function entriesOf(values: unknown, codec: Codec): Entry[] {
  return listOf(values).map((value) => entryOf(codec.open(value)));
}

/** Returns an entry. Throws for a value of another shape. */
export function entryOf(value: unknown): Entry {
  if (!isEntry(value)) throw wrong("log");
  return value;
}

/** Returns the events of a list that was parsed. Throws for values of another shape. */
export function eventsOf(values: unknown, codec: Codec): EventEntry[] {
  return listOf(values).map((value) => {
    const entry = entryOf(codec.open(value));
    if (!("event" in entry)) throw wrong("log");
    return entry;
  });
}

/** Returns the items of an inbox that was parsed. Throws for values of another shape. */
export function itemsOf(values: unknown, codec: Codec): InboxItem[] {
  return listOf(values).map((value) => {
    const item = codec.open(value);
    if (!isItem(item)) throw wrong("inbox");
    return item;
  });
}

/** Returns a webhook. Throws for a value of another shape. */
export function webhookOf(value: unknown, codec: Codec): Webhook {
  const webhook = codec.open(value);
  if (!isWebhook(webhook)) throw wrong("webhook");
  return webhook;
}

/**
 * Returns a webhook as text. Stores compare the texts of webhooks to know those that are registered again, and encryption
 * may write equal webhooks in different ways: with it, the text is the one of `before` that has the same webhook, if any.
 */
export async function webhookText(
  webhook: Webhook,
  codec: Codec,
  before: () => Promise<readonly unknown[]>,
): Promise<string> {
  if (codec.isSealing)
    for (const value of await before()) if (isStored(value, webhook, codec)) return JSON.stringify(value);
  return codec.write(webhook);
}

/** Returns whether a value is this webhook. One that cannot be read is not, and is replaced. */
function isStored(value: unknown, webhook: Webhook, codec: Codec): boolean {
  try {
    return isSameWebhook(webhookOf(value, codec), webhook);
  } catch {
    return false;
  }
}

function listOf(values: unknown): readonly unknown[] {
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values)) throw wrong("list");
  return values;
}

function numberOf(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(name);
  return value;
}

function wrong(name: string): TypeError {
  return new TypeError(`its ${name} has an unknown form`);
}

function isTask(value: unknown): value is Task {
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  const { status, history } = value;
  if (!isObject(status) || typeof status["state"] !== "string") return false;
  return history === undefined || (Array.isArray(history) && history.every((message) => isObject(message)));
}

function areTaken(value: unknown): value is TakenItems {
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "number";
  return Array.isArray(value) && value.every(isPair);
}

function areArtifacts(value: unknown): value is Artifact[] {
  return Array.isArray(value) && value.every((artifact) => isObject(artifact) && Array.isArray(artifact["parts"]));
}

function isEntry(value: unknown): value is Entry {
  if (!isObject(value) || typeof value["generation"] !== "number") return false;
  const { event, message, item } = value;
  if (event === undefined) return isObject(message) && typeof item === "string";
  if (!isObject(event)) return false;
  const { statusUpdate, artifactUpdate } = event;
  if (isObject(statusUpdate)) return isObject(statusUpdate["status"]);
  return isObject(artifactUpdate) && isObject(artifactUpdate["artifact"]);
}

function isItem(value: unknown): value is InboxItem {
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  return value["message"] === undefined || isObject(value["message"]);
}

function isWebhook(value: unknown): value is Webhook {
  if (!isObject(value) || typeof value["taskId"] !== "string" || typeof value["id"] !== "string") return false;
  const { config, version, after } = value;
  return (
    isObject(config) && typeof config["url"] === "string" && typeof version === "string" && typeof after === "number"
  );
}
