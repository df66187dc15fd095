import type { Appended, AppendOptions, Entry, Lease } from "../../store.js";
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
   * Decodes the inbox, unless it is empty. Notify subscribers of the changes before calling this function, because the
   * changes are stored even if the inbox cannot be decoded.
   */
  readonly inbox: (() => Appended["inbox"]) | undefined;
  /** End of the log before the append. */
  readonly before: Position;
  /** The new entries, and the end of the log. If the entries are absent, watches must read them from the database. */
  readonly batch: Batch;
  /** Whether a webhook has become due. */
  readonly isDue: boolean;
  /** Number of events after the snapshot; 0 if the append has already compacted the task. */
  readonly grown: number;
}

/**
 * Result of one of several appends that a database executes together. If the append failed, this is its own error. It
 * is "alone" if the database has skipped the append, because the append would have had to wait for another transaction.
 */
export type Verdict = AppendedEntries | Error | "alone";
