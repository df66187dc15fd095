import { isObject } from "../../runtime/base/json.js";
import type { TaskRecord } from "./task-record.js";

/** How many of the tasks that ended last keep more of their logs than somebody needs now. */
const recentTasks = 100;

/** The estimated cost of an object or list, and of each member of one, in bytes. */
const objectBytes = 32;
const memberBytes = 16;

/** What a task costs besides what is in it. */
const taskBytes = 1_000;

interface Ended {
  readonly record: TaskRecord;
  readonly at: number;
  readonly bytes: number;
}

/** How much of the tasks that have ended is kept. */
export interface Limits {
  readonly maxCount: number;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** The tasks that have ended, in the order in which they did. */
export class EndedTasks {
  #queue: (Ended | undefined)[] = [];
  #head = 0;
  #bytes = 0;

  get #count(): number {
    return this.#queue.length - this.#head;
  }

  /** Adds a task; returns one that ended so long ago that nobody comes back to its log. */
  add(record: TaskRecord, at: number): TaskRecord | undefined {
    const bytes = taskBytes + bytesOf(record.log.task()) + bytesAround(record);
    this.#bytes += bytes;
    this.#queue.push({ record, at, bytes });
    return this.#count > recentTasks ? this.#queue.at(-1 - recentTasks)?.record : undefined;
  }

  /** Removes the task that ended first, if the limits say that it has to go; returns it. */
  next({ maxCount, maxAgeMs, maxBytes }: Limits, now: number): TaskRecord | undefined {
    const first = this.#queue[this.#head];
    if (first === undefined) return undefined;
    if (this.#count <= maxCount && this.#bytes <= maxBytes && now - first.at <= maxAgeMs) return undefined;
    this.#queue[this.#head] = undefined;
    this.#head += 1;
    this.#bytes -= first.bytes;
    if (this.#head > 1_024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return first.record;
  }
}

/** Estimates what callers have sent that is no part of a task: with its last message, and its webhooks. */
function bytesAround({ turn: { call }, hooks }: TaskRecord): number {
  // Nobody knows what a user is.
  let bytes = call === undefined ? 0 : bytesOf({ ...call, user: undefined });
  for (const { webhook } of hooks?.values() ?? []) bytes += bytesOf(webhook);
  return bytes;
}

/** Estimates how many bytes of memory a value takes that is JSON. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return objectBytes + value.length;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = objectBytes;
  if (isObject(value)) for (const name in value) bytes += memberBytes + bytesOf(value[name]);
  else if (Array.isArray(value)) for (const member of value) bytes += memberBytes + bytesOf(member);
  return bytes;
}
