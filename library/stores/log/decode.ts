import { isObject } from "../../runtime/base/json.js";
import type { Artifact, Task } from "../../kit/model.js";
import { withInbox } from "../../kit/log/fold.js";
import { isSameWebhook } from "../../kit/memory/same-webhook.js";
import {
  type Entry,
  type EventEntry,
  type InboxItem,
  type ListedTask,
  type Stored,
  type StoredTask,
  UnreadableTaskError,
  type Webhook,
} from "../../kit/store.js";
import { errorOf } from "../../kit/thrown.js";
import { type TaskCodec, takenMember, type TakenItems } from "./codec.js";
import { withMessage } from "./large.js";
import { foldedOf, type Parts } from "./rows.js";

/**
 * Maximum size of a readable task, in bytes. JavaScript strings are limited to about 512 MiB, and a
 * database client that receives a longer string may crash the process. The limits of the task kit
 * reject messages long before a task becomes this large.
 */
export const readableBytes: number = 256 * 2 ** 20;

/** A task as read from a store. Its values are not checked yet. */
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
 * Calls a function that reads a task. If it throws any error, throws an {@link UnreadableTaskError}
 * for this task, so that one broken task does not affect other tasks.
 */
export function readable<T>(taskId: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof UnreadableTaskError) throw thrown;
    const cause = errorOf(thrown);
    throw new UnreadableTaskError(taskId, `The task ${taskId} cannot be read: ${cause.message}`, {
      cause,
    });
  }
}

/**
 * Calls a function and returns whether it succeeded. An {@link UnreadableTaskError} is added to the
 * list; other errors are thrown.
 */
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

/** Returns the error for a task that was marked as unreadable by an earlier claim. */
export function parkedError(taskId: string): UnreadableTaskError {
  return new UnreadableTaskError(
    taskId,
    `The task ${taskId} cannot be read and is not claimed again`,
  );
}

/** Returns the error for a task that exceeds {@link readableBytes}. */
export function tooLarge(taskId: string): UnreadableTaskError {
  const maxMiB = String(readableBytes / 2 ** 20);
  return new UnreadableTaskError(
    taskId,
    `The task ${taskId} cannot be read: it is larger than ${maxMiB} MiB`,
  );
}

/**
 * Returns a task with its turn, its checkpoint and its inbox.
 * @throws If a value has an unknown form.
 */
export function storedOf(raw: RawTask, codec: TaskCodec, posted?: InboxItem): Stored {
  const parts = partsOf(raw, codec);
  // The turn of an ended task is a constant, which is not encrypted.
  const isOver = isObject(raw.turn) && raw.turn["id"] === "" && Object.keys(raw.turn).length === 1;
  const turn = isOver ? raw.turn : codec.open(raw.turn, "turn");
  if (!isItem(turn)) throw invalid("turn");
  return {
    ...taskOf(raw, parts, codec, posted),
    turn: withMessage(turn, parts),
    checkpoint: codec.open(raw.checkpoint, "checkpoint"),
  };
}

/**
 * Returns a task with its inbox.
 * @param posted An item that was just posted. If the inbox was read before the post, the item is
 *   added to its end.
 * @throws If a value has an unknown form.
 */
export function storedTaskOf(raw: RawTask, codec: TaskCodec, posted?: InboxItem): StoredTask {
  return taskOf(raw, partsOf(raw, codec), codec, posted);
}

function taskOf(
  raw: RawTask,
  parts: Parts,
  codec: TaskCodec,
  posted: InboxItem | undefined,
): StoredTask {
  const inbox = itemsOf(raw.inbox, codec);
  if (posted !== undefined && inbox.every(({ id }) => id !== posted.id)) inbox.push(posted);
  const task = withInbox(foldedOf(parts), inbox);
  return {
    task,
    generation: numberOf(raw.generation, "generation"),
    inbox,
    bytes: numberOf(raw.bytes, "size"),
  };
}

/**
 * Returns a task for a list.
 * @throws If a value has an unknown form.
 */
export function listedOf(raw: RawTask, codec: TaskCodec): ListedTask {
  const task = withInbox(foldedOf(partsOf(raw, codec)), itemsOf(raw.inbox, codec));
  return { task, generation: numberOf(raw.generation, "generation") };
}

/**
 * Returns a snapshot and the entries after it.
 * @throws If a value has an unknown form.
 */
export function partsOf(raw: RawTask, codec: TaskCodec): Parts {
  const task = codec.open(raw.task, "task");
  if (!isTask(task)) throw invalid("snapshot");
  // The row may be a copy of another task's row, and the encryption may ignore the context of a
  // string.
  if (task.id !== codec.taskId) throw invalid("id");
  const artifacts = codec.open(raw.artifacts, "artifacts") ?? undefined;
  if (artifacts !== undefined && !areArtifacts(artifacts)) throw invalid("artifacts");
  const entries = entriesOf(raw.entries, codec);
  if (!(takenMember in task)) return { task, artifacts, entries, taken: [] };
  const { [takenMember]: taken, ...own } = task;
  if (!areTaken(taken)) throw invalid("snapshot");
  return { task: own, artifacts, entries, taken };
}

/**
 * Returns the entries of a parsed list.
 * @throws If a value has an unknown form.
 */
export function entriesOf(values: unknown, codec: TaskCodec): Entry[] {
  return listOf(values).map((value) => entryOf(codec.open(value, "entry")));
}

/**
 * Returns the value as an entry.
 * @throws If the value has an unknown form.
 */
export function entryOf(value: unknown): Entry {
  if (!isEntry(value)) throw invalid("log");
  return value;
}

/**
 * Returns the events of a parsed list.
 * @throws If a value has an unknown form, or is not an event.
 */
export function eventsOf(values: unknown, codec: TaskCodec): EventEntry[] {
  return listOf(values).map((value) => {
    const entry = entryOf(codec.open(value, "entry"));
    if (!("event" in entry)) throw invalid("log");
    return entry;
  });
}

/**
 * Returns the items of a parsed inbox.
 * @throws If a value has an unknown form.
 */
export function itemsOf(values: unknown, codec: TaskCodec): InboxItem[] {
  return listOf(values).map((value) => {
    const item = codec.open(value, "item");
    if (!isItem(item)) throw invalid("inbox");
    return item;
  });
}

/**
 * Returns the value as a webhook.
 * @throws If the value has an unknown form, or cannot be decrypted.
 */
export function webhookOf(value: unknown, codec: TaskCodec): Webhook {
  const webhook = codec.open(value, "webhook");
  if (!isWebhook(webhook)) throw invalid("webhook");
  return webhook;
}

/**
 * Returns the string to store for a webhook. Stores compare these strings to detect that an
 * unchanged webhook is registered again. However, encryption may write equal webhooks differently.
 * If `before` contains the string of an equal webhook, this function therefore returns that string.
 */
export async function webhookText(
  webhook: Webhook,
  codec: TaskCodec,
  before: () => Promise<readonly unknown[]>,
): Promise<string> {
  if (codec.isSealing)
    for (const value of await before())
      if (isStored(value, webhook, codec)) return JSON.stringify(value);
  return codec.write(webhook, "webhook");
}

/**
 * Returns whether a stored value equals this webhook. For an unreadable value, returns `false`, so
 * that the value is replaced.
 */
function isStored(value: unknown, webhook: Webhook, codec: TaskCodec): boolean {
  try {
    return isSameWebhook(webhookOf(value, codec), webhook);
  } catch {
    return false;
  }
}

function listOf(values: unknown): readonly unknown[] {
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values)) throw invalid("list");
  return values;
}

function numberOf(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalid(name);
  return value;
}

function invalid(name: string): TypeError {
  return new TypeError(`its ${name} has an invalid format`);
}

function isTask(value: unknown): value is Task {
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  const { status, history } = value;
  if (!isObject(status) || typeof status["state"] !== "string") return false;
  return (
    history === undefined ||
    (Array.isArray(history) && history.every((message) => isObject(message)))
  );
}

function areTaken(value: unknown): value is TakenItems {
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "number";
  return Array.isArray(value) && value.every(isPair);
}

function areArtifacts(value: unknown): value is Artifact[] {
  return (
    Array.isArray(value) &&
    value.every((artifact) => isObject(artifact) && Array.isArray(artifact["parts"]))
  );
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
  const { message, wake } = value;
  return [message, wake].every((part) => part === undefined || isObject(part));
}

function isWebhook(value: unknown): value is Webhook {
  if (!isObject(value) || typeof value["taskId"] !== "string" || typeof value["id"] !== "string")
    return false;
  const { config, version, after } = value;
  return (
    isObject(config) &&
    typeof config["url"] === "string" &&
    typeof version === "string" &&
    typeof after === "number"
  );
}
