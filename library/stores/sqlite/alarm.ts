import type { Retention } from "../../kit/store.js";
import type { Connection } from "./connection.js";

/** Dependencies of {@link Alarm}. */
export interface AlarmParts {
  readonly connection: Connection;
  /** Sets the alarm of the platform, and replaces the alarm that is set. */
  readonly set: (time: number) => void;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Milliseconds after which the alarm goes off for work that is already due. This process usually
 * does this work at once, so the alarm only matters if the process ends before.
 */
const overdueMs = 10_000;

/** Deletions that are due within this number of milliseconds share an alarm. */
const deletionMs = 60_000;

/** The last time that a `Date` can represent. Unreadable tasks have a later one, and never wake. */
const lastTime = 8.64e15;

/**
 * Sets the alarm of a platform for the next time at which a store has work: a lease expires, a task
 * wakes, a webhook is due, or an ended task is to be deleted.
 */
export class Alarm {
  readonly #parts: AlarmParts;
  /** Time of the alarm that this process has set, until it has gone off. */
  #at = Infinity;
  /** The rules of the last cleanup. */
  #retention: Retention = {};
  #hasSenders = false;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /** Sets the alarm again, after it has gone off. */
  reset(): void {
    this.#at = Infinity;
    this.update();
  }

  /** Sets the alarm, unless an alarm goes off earlier. */
  update(): void {
    const now = this.#parts.now();
    if (this.#at <= now) this.#at = Infinity;
    const due = this.#nextDue(now);
    const at = due <= now ? now + overdueMs : due;
    if (at >= this.#at || at > lastTime) return;
    this.#at = at;
    this.#parts.set(at);
  }

  /** Notes that this process delivers webhooks, so that they require an alarm. */
  noteSender(): void {
    this.#hasSenders = true;
    this.update();
  }

  /** Notes the rules for deletions, so that they require an alarm. */
  noteRetention(retention: Retention): void {
    this.#retention = retention;
  }

  /** Returns the next time at which the store has work; `Infinity` without work. */
  #nextDue(now: number): number {
    const { maxAgeMs = Infinity, maxLogAgeMs = Infinity } = this.#retention;
    const times = [
      this.#first("SELECT expires AS at FROM a2a_tasks WHERE expires IS NOT NULL ORDER BY expires"),
    ];
    if (this.#hasSenders)
      times.push(
        this.#first(
          "SELECT due_at AS at FROM a2a_webhooks WHERE due_at IS NOT NULL ORDER BY due_at",
        ),
      );
    if (maxAgeMs < Infinity)
      times.push(deletionAt(this.#first(`${ended} ORDER BY ended_at`) + maxAgeMs, now));
    if (maxLogAgeMs < Infinity) {
      const oldestLog = this.#first(`${ended} AND trimmed = 0 ORDER BY ended_at`);
      times.push(deletionAt(oldestLog + maxLogAgeMs, now));
    }
    return times.reduce((first, at) => Math.min(first, at));
  }

  /** Returns the time in the first row of a query; `Infinity` if it has no rows. */
  #first(sql: string): number {
    const query = this.#parts.connection.query<{ readonly at: number }>(`${sql} LIMIT 1`);
    return query.get()?.at ?? Infinity;
  }
}

/** Selects the end times of tasks. */
const ended = "SELECT ended_at AS at FROM a2a_tasks WHERE ended_at IS NOT NULL";

/** Returns the time after `now` to delete data that expires at a time. */
function deletionAt(expiresAt: number, now: number): number {
  return (Math.floor(Math.max(expiresAt, now) / deletionMs) + 1) * deletionMs;
}
