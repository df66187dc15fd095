import type { Part } from "../model.js";
import type { CallFacts, Entry, InboxItem, TaskEvent } from "../store.js";

/** Bytes of events above which a turn waits until they are written, so that no write gets large. */
export const maxQueueBytes: number = 4 * 2 ** 20;

/** Bytes of tasks that a store returns at once, unless the first task is larger by itself. */
export const pageBytes: number = 8 * 2 ** 20;

/** Bytes of the events that a webhook gets with one lease, unless the first event is larger by itself. */
export const hookBytes: number = 4 * 2 ** 20;

/** Bytes that a member, an element or an event takes besides its value: quotes, separators, ids and times. */
const perValue = 4;
const perEvent = 256;

/**
 * Returns about how many bytes JSON takes as a string, in time that depends on the number of its values and not on the
 * length of its strings: a string counts as many bytes as it has UTF-16 units. The value must be JSON, without cycles.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + perValue;
  if (typeof value !== "object" || value === null) return 2 * perValue;
  let size = perValue;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else
    for (const key in value) {
      const member: unknown = value[key as keyof typeof value];
      size += key.length + perValue;
      size += typeof member === "string" ? member.length + perValue : sizeOf(member);
    }
  return size;
}

/** Returns about how many bytes the members of a call take that its caller writes: users are those of the application. */
export function sizeOfCall(call: CallFacts | undefined): number {
  if (call === undefined) return 0;
  const { extensions, acceptedOutputModes, metadata } = call;
  const size = sizeOf(extensions) + sizeOf(acceptedOutputModes);
  return metadata === undefined ? size : size + sizeOf(metadata);
}

/** Returns about how many bytes a checkpoint takes as JSON; 0 for a value with cycles, which JSON cannot represent. */
export function sizeOfCheckpoint(checkpoint: unknown): number {
  if (checkpoint === undefined) return 0;
  try {
    return sizeOf(checkpoint);
  } catch {
    return 0;
  }
}

/** Returns about how many bytes an item of an inbox takes as JSON, with its call. */
export function sizeOfItem({ id, message, call, cancel }: InboxItem): number {
  const size = id.length + 2 * perValue + sizeOfCall(call) + (message === undefined ? 0 : sizeOf(message));
  return cancel === undefined ? size : size + sizeOf(cancel);
}

/** Returns about how many bytes an entry of a log takes as JSON. */
export function sizeOfEntry(entry: Entry): number {
  return "event" in entry ? sizeOfEvent(entry.event) : sizeOf(entry.message);
}

/** Returns about how many bytes an event takes as JSON. */
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
  if (message !== undefined) size += perEvent + sizeOfParts(message.parts);
  return message?.extensions === undefined ? size : size + sizeOf(message.extensions);
}

/** Returns about how many bytes parts take. Most have a text and nothing else, which need no walk over their members. */
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

/** Whether a text takes more bytes of UTF-8 than a limit. Most texts are so short that nothing has to be encoded. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || encoder.encode(text).length > maxBytes;
}

/** Thrown where a task would become larger than it may be. The message is for the caller, too. */
export class TaskTooLargeError extends Error {
  override readonly name = "TaskTooLargeError";

  constructor(maxBytes: number) {
    super(`The task would be larger than ${String(maxBytes)} bytes, which is the most that it may have`);
  }
}
