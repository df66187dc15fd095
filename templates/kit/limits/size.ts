import type { Part } from "../model.js";
import type { CallFacts, Entry, InboxItem, TaskEvent } from "../store.js";

/** Bytes of pending events above which a turn waits until the events are written. This limits the size of a write. */
export const maxQueueBytes: number = 4 * 2 ** 20;

/** Maximum bytes of tasks that a store returns in one call, unless the first task alone is larger. */
export const pageBytes: number = 4 * 2 ** 20;

/**
 * Maximum bytes of the events that are delivered with one lease of a webhook, unless the first event alone is larger.
 */
export const hookBytes: number = 4 * 2 ** 20;

/** Bytes of a member, an element or an event in addition to its value: quotes, separators, ids and times. */
const perValue = 4;
const perEvent = 256;

/**
 * Returns the approximate size of a value as JSON. A string counts as one byte per UTF-16 code unit, so the run time
 * depends on the number of values, not on the length of strings. The value must be JSON without cycles.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + perValue;
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
 * Returns the approximate size of the members of a call that the caller controls. The user does not count, because the
 * application provides it.
 */
export function sizeOfCall(call: CallFacts | undefined): number {
  if (call === undefined) return 0;
  const { extensions, acceptedOutputModes, metadata } = call;
  const size = sizeOf(extensions) + sizeOf(acceptedOutputModes);
  return metadata === undefined ? size : size + sizeOf(metadata);
}

/**
 * Returns the approximate size of a checkpoint as JSON; 0 if the checkpoint contains cycles, which JSON cannot
 * represent.
 */
export function sizeOfCheckpoint(checkpoint: unknown): number {
  if (checkpoint === undefined) return 0;
  try {
    return sizeOf(checkpoint);
  } catch {
    return 0;
  }
}

/** Returns the approximate size of an inbox item as JSON, including its call. */
export function sizeOfItem({ id, message, call, cancel }: InboxItem): number {
  const size = id.length + 2 * perValue + sizeOfCall(call) + (message === undefined ? 0 : sizeOf(message));
  return cancel === undefined ? size : size + sizeOf(cancel);
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
    let size = perEvent + artifact.artifactId.length + name.length + description.length + sizeOfParts(parts);
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
 * Returns the approximate size of parts. Most parts contain only a text, so this avoids iterating over their members.
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

/** Returns whether a text is longer than a limit in bytes of UTF-8. Only encodes the text if its length requires it. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || encoder.encode(text).length > maxBytes;
}

/** Error if a task would exceed its maximum size. Callers also receive the message of this error. */
export class TaskTooLargeError extends Error {
  override readonly name = "TaskTooLargeError";

  constructor(maxBytes: number) {
    super(`The task would exceed its maximum size of ${String(maxBytes)} bytes`);
  }
}
