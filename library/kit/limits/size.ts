import type { Part } from "../model.js";
import type { CallFacts, Entry, InboxItem, TaskEvent } from "../store.js";

/**
 * Bytes of pending events above which a turn waits until the events are written. This limits the
 * size of a write.
 */
export const maxQueueBytes: number = 4 * 2 ** 20;

/**
 * Maximum bytes of tasks that a store returns in one call, unless the first task alone is larger.
 */
export const pageBytes: number = 4 * 2 ** 20;

/**
 * Maximum bytes of the events that are delivered with one lease of a webhook, unless the first
 * event alone is larger. The limit is small, because a webhook that does not respond causes the
 * same read again at each attempt.
 */
export const hookBytes: number = 2 ** 19;

/**
 * Additional bytes for each member or element, and for each event: quotes, separators, ids and
 * times.
 */
const perValue = 4;
const perEvent = 256;

/**
 * Returns the approximate size of a value as JSON. Each UTF-16 code unit of a string counts as one
 * byte, so the run time depends on the number of values, not on the length of strings. The value
 * must be JSON without cycles. Throws if it contains a bigint.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + perValue;
  if (typeof value === "bigint") throw new TypeError("JSON has no bigint");
  if (typeof value !== "object" || value === null) return 2 * perValue;
  let size = perValue;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else
    for (const key in value) {
      const member: unknown = value[key as keyof typeof value];
      // JSON omits the member, so the value has the same size after it is stored and read again.
      if (member === undefined) continue;
      size += key.length + perValue;
      size += typeof member === "string" ? member.length + perValue : sizeOf(member);
    }
  return size;
}

/**
 * Returns the approximate size of the members of a call that the caller controls. The user does not
 * count, because the application provides it.
 */
export function sizeOfCall(call: CallFacts | undefined): number {
  if (call === undefined) return 0;
  const { extensions, acceptedOutputModes, metadata } = call;
  const size = sizeOf(extensions) + sizeOf(acceptedOutputModes);
  return metadata === undefined ? size : size + sizeOf(metadata);
}

/**
 * Returns the approximate size of a checkpoint as JSON. Throws a `TypeError` if JSON cannot
 * represent the checkpoint, because it contains a bigint or a cycle.
 */
export function sizeOfCheckpoint(checkpoint: unknown): number {
  if (checkpoint === undefined) return 0;
  try {
    return sizeOf(checkpoint);
  } catch (cause) {
    throw new TypeError("The state of a turn must be JSON, without cycles and bigints", { cause });
  }
}

/** Returns the approximate size of an inbox item as JSON, including its call. */
export function sizeOfItem({ id, message, call, cancel, wake }: InboxItem): number {
  let size = id.length + 2 * perValue + sizeOfCall(call);
  for (const part of [message, cancel, wake]) if (part !== undefined) size += sizeOf(part);
  return size;
}

/** Returns the approximate size of a log entry as JSON. */
export function sizeOfEntry(entry: Entry): number {
  return "event" in entry ? sizeOfEvent(entry.event) : sizeOf(entry.message);
}

/** Returns the approximate size of an event as JSON. */
export function sizeOfEvent(event: TaskEvent): number {
  if ("artifactUpdate" in event) {
    const { artifact, metadata } = event.artifactUpdate;
    const { parts, name = "", description = "", extensions } = artifact;
    let size =
      perEvent + artifact.artifactId.length + name.length + description.length + sizeOfParts(parts);
    if (extensions !== undefined) size += sizeOf(extensions);
    if (artifact.metadata !== undefined) size += sizeOf(artifact.metadata);
    return metadata === undefined ? size : size + sizeOf(metadata);
  }
  const { status, metadata } = event.statusUpdate;
  const { message } = status;
  let size = metadata === undefined ? perEvent : perEvent + sizeOf(metadata);
  if (message === undefined) return size;
  size += perEvent + sizeOfParts(message.parts);
  if (message.metadata !== undefined) size += sizeOf(message.metadata);
  return message.extensions === undefined ? size : size + sizeOf(message.extensions);
}

/**
 * Returns the approximate size of parts. Does not iterate over the members of parts that contain
 * only text, as most parts do.
 */
function sizeOfParts(parts: readonly Part[]): number {
  let size = 0;
  for (const part of parts) {
    const { text, mediaType = "", metadata, filename } = part;
    const isPlain = text !== undefined && metadata === undefined && filename === undefined;
    size += perValue + (isPlain ? 4 * perValue + text.length + mediaType.length : sizeOf(part));
  }
  return size;
}

const encoder = new TextEncoder();

/**
 * Returns whether a string is longer than a limit in bytes of UTF-8. Only encodes the string if its
 * length in code units does not decide the result.
 */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || encoder.encode(text).length > maxBytes;
}

/**
 * Thrown if a task would exceed its maximum size. Callers also receive the message of this error.
 */
export class TaskTooLargeError extends Error {
  override readonly name = "TaskTooLargeError";

  constructor(maxBytes: number) {
    super(`The task would exceed its maximum size of ${String(maxBytes)} bytes`);
  }
}
