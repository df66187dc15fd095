import { isObject } from "../../runtime/base/json.js";
import type { TaskRecord } from "./task-record.js";

/**
 * Number of recently ended tasks whose logs also keep entries that no watch or webhook requires.
 */
const recentTasks = 100;

/** Estimated size in bytes of an object or a list, and of each of its members. */
const objectBytes = 32;
const memberBytes = 16;

/** Estimated size of an empty task in bytes. */
const taskBytes = 1_000;

/** Retention limits for ended tasks. */
export interface Limits {
  readonly maxCount: number;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** The ended tasks, in the order in which they ended. */
export class EndedTasks {
  /**
   * Three parallel lists take a third of the memory that a list of objects takes, and storing a
   * number does not allocate an object.
   */
  #records: (TaskRecord | undefined)[] = [];
  #times: number[] = [];
  #sizes: number[] = [];
  #head = 0;
  #bytes = 0;

  get #count(): number {
    return this.#records.length - this.#head;
  }

  /**
   * Adds a task. Returns the task that this pushes out of the recent tasks, so that its log can be
   * trimmed.
   */
  add(record: TaskRecord, at: number): TaskRecord | undefined {
    const bytes = taskBytes + bytesOf(record.log.task()) + bytesAround(record);
    this.#bytes += bytes;
    this.#records.push(record);
    this.#times.push(at);
    this.#sizes.push(bytes);
    return this.#count > recentTasks ? this.#records.at(-1 - recentTasks) : undefined;
  }

  /** Removes and returns the task that ended first, if the limits are exceeded. */
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

  /** Removes deleted tasks. */
  remove(deleted: ReadonlySet<TaskRecord>): void {
    const kept = this.#records.flatMap((record, at) =>
      record === undefined || deleted.has(record) ? [] : [at],
    );
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

/**
 * Estimates the size of the data that is stored next to an ended task: its checkpoint and its
 * webhooks.
 */
function bytesAround({ checkpointBytes, hooks }: TaskRecord): number {
  let bytes = checkpointBytes;
  for (const { webhook } of hooks?.values() ?? []) bytes += bytesOf(webhook);
  return bytes;
}

/** Estimates the memory size of a JSON value in bytes. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return objectBytes + value.length;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = objectBytes;
  if (isObject(value)) for (const name in value) bytes += memberBytes + bytesOf(value[name]);
  else if (Array.isArray(value))
    for (const element of value) bytes += memberBytes + bytesOf(element);
  return bytes;
}
