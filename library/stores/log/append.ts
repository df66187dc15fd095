import { isAtRest } from "../../kit/states.js";
import type { Appended, AppendOptions, Entry, Lease } from "../../kit/store.js";
import type { Position } from "./rows.js";
import type { Batch } from "./watch-hub.js";

/** An append, with its values as JSON. */
export interface Append {
  readonly lease: Lease;
  readonly entries: readonly Entry[];
  readonly options: AppendOptions;
  /** The JSON of each entry. */
  readonly bodies: readonly string[];
  /** `null` keeps the stored value. */
  readonly turn: string | null;
  readonly checkpoint: string | null;
}

/** Result of an append. */
export interface AppendedEntries {
  /** The result, with an empty inbox if `inbox` decodes it. */
  readonly appended: Appended;
  /**
   * Decodes the inbox, unless it is empty. Notify subscribers of the changes before calling this
   * function, because the changes are stored even if the inbox cannot be decoded.
   */
  readonly inbox: (() => Appended["inbox"]) | undefined;
  /** End of the log before the append. */
  readonly before: Position;
  /**
   * The new entries, and the end of the log. If the entries are absent, watches must read them from
   * the database.
   */
  readonly batch: Batch;
  /** Whether a webhook has become due. */
  readonly isDue: boolean;
  /** Number of events after the snapshot; 0 if the append has already compacted the task. */
  readonly grown: number;
  /**
   * Names of the processes that must be notified because they may watch the task. If it is absent,
   * all processes are notified. Databases that notify processes themselves ignore it.
   */
  readonly watchers?: readonly string[] | undefined;
}

/**
 * Result of one of several appends that a database executes together. If this append failed, the
 * result is its error. The result is "alone" if the database skipped the append because it would
 * have had to wait for another transaction, so that the append must be executed separately.
 */
export type Verdict = AppendedEntries | Error | "alone";

/**
 * Returns whether an append only adds consecutive events, after which the task is still at work.
 * Almost all appends do, so databases have a shorter way for them.
 */
export function areOnlyEvents({ entries, options, turn, checkpoint }: Append): boolean {
  const first = entries.at(0);
  if (first === undefined || turn !== null || checkpoint !== null || options.release === true)
    return false;
  if ((options.taken?.length ?? 0) > 0) return false;
  let { generation } = first;
  for (const entry of entries) {
    if (!("event" in entry) || entry.generation !== generation) return false;
    if ("statusUpdate" in entry.event && isAtRest(entry.event.statusUpdate.status.state))
      return false;
    generation += 1;
  }
  return true;
}
