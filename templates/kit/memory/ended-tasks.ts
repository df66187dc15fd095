import { isObject } from "../../runtime/base/json.js";
import type { TaskRecord } from "./task-record.js";

/** How many of the tasks that ended last keep more of their logs than somebody needs now. */
const recentTasks = 100;

/** The estimated cost of an object or list, and of each member of one, in bytes. */
const objectBytes = 32;
const memberBytes = 16;

/** What a task costs besides what is in it. */
const taskBytes = 1_000;

/** How much of the tasks that have ended is kept. */
export interface Limits {
  readonly maxCount: number;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** The tasks that have ended, in the order in which they did. */
export class EndedTasks {
  /** Three lists in place of one of objects: they cost a third, and numbers in them cost nothing to make. */
  #records: (TaskRecord | undefined)[] = [];
  #times: number[] = [];
  #sizes: number[] = [];
  #head = 0;
  #bytes = 0;

  get #count(): number {
    return this.#records.length - this.#head;
  }

  /** Adds a task; returns one that ended so long ago that nobody comes back to its log. */
  add(record: TaskRecord, at: number): TaskRecord | undefined {
    const bytes = taskBytes + bytesOf(record.log.task()) + bytesAround(record);
    this.#bytes += bytes;
    this.#records.push(record);
    this.#times.push(at);
    this.#sizes.push(bytes);
    return this.#count > recentTasks ? this.#records.at(-1 - recentTasks) : undefined;
  }

  /** Removes the task that ended first, if the limits say that it has to go; returns it. */
  next({ maxCount, maxAgeMs, maxBytes }: Limits, now: number): TaskRecord | undefined {
    const first = this.#records[this.#head];
    if (first === undefined) return undefined;
    const age = now - (this.#times[this.#head] ?? 0);
    if (this.#count <= maxCount && this.#bytes <= maxBytes && age <= maxAgeMs) return undefined;
    this.#bytes -= this.#sizes[this.#head] ?? 0;
    this.#records[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 1_024 && this.#head * 2 > this.#records.length) this.#pack();
    return first;
  }

  /** Removes tasks that were deleted. */
  remove(gone: ReadonlySet<TaskRecord>): void {
    const kept = this.#records.flatMap((record, at) => (record === undefined || gone.has(record) ? [] : [at]));
    if (kept.length === this.#count) return;
    this.#records = kept.map((at) => this.#records[at]);
    this.#times = kept.map((at) => this.#times[at] ?? 0);
    this.#sizes = kept.map((at) => this.#sizes[at] ?? 0);
    this.#bytes = this.#sizes.reduce((sum, size) => sum + size, 0);
    this.#head = 0;
  }

  #pack(): void {
    this.#records = this.#records.slice(this.#head);
    this.#times = this.#times.slice(this.#head);
    this.#sizes = this.#sizes.slice(this.#head);
    this.#head = 0;
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
  else if (Array.isArray(value)) for (const element of value) bytes += memberBytes + bytesOf(element);
  return bytes;
}
