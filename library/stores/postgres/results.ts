import type { InboxItem, Refused, Stored, StoredTask } from "../../kit/store.js";
import type { Codec } from "../log/codec.js";
import { type RawTask, readable, storedOf, tooLarge, storedTaskOf } from "../log/decode.js";
import type { Position } from "../log/rows.js";

/** Results of the SQL functions. These types match the JSON that the SQL builds. */

/** Result of the SQL function `stored`: a task. */
export interface StoredResult extends Position, RawTask {
  readonly generation: number;
  /** Size of the snapshot and the entries after it. */
  readonly logBytes: number;
  /** Position of the snapshot in the log. */
  readonly folded: Position;
}

export type PostResult =
  | { readonly outcome: "unreadable" }
  | Refused
  | {
      readonly outcome: "leased" | "posted";
      /** Epoch of the lease, or the number of posts. */
      readonly count: number;
      /** Whether an earlier call has posted the item, and a turn has taken it. */
      readonly isTaken?: boolean;
      /** Whether this call has added the item; only set for the outcome `leased`. */
      readonly isNew?: boolean;
      /** `null` if the task is too large to be read. */
      readonly stored: StoredResult | null;
    };

export type AppendResult =
  | { readonly outcome: "forgotten" | "locked" | "lost" | "disorder" }
  | {
      readonly outcome: "appended";
      readonly released: boolean;
      readonly bytes: number;
      /** The remaining fields are absent if nothing was appended. */
      readonly inbox?: readonly unknown[];
      readonly seen?: number;
      readonly isDue?: boolean;
      /** Number of entries that were not in the log before. */
      readonly count?: number;
      readonly grown?: number;
      readonly isWatched?: boolean;
      /** List of the processes that watch the task. */
      readonly watchers?: string;
      readonly before?: Position;
      readonly end?: Position;
    };

export interface PutResult {
  /** Whether the scope contains the task. */
  readonly found: boolean;
  readonly isFull?: boolean;
  readonly isDue?: boolean;
}

export interface ForgetResult {
  /** Number of deleted tasks and logs. */
  readonly count: number;
  /** Tasks whose logs can be removed after compaction. */
  readonly unfolded: readonly string[];
}

export interface UsageResult {
  readonly openTasks: number;
  readonly openBytes: number;
  readonly webhooks: number;
  readonly storedBytes: number | null;
}

/**
 * Parses a column that contains a task.
 * @throws An `UnreadableTaskError` if the task cannot be read.
 */
export function parsed(id: string, json: unknown): StoredResult {
  if (typeof json !== "string") throw tooLarge(id);
  // The SQL function `stored` builds this object. Its members are checked when they are decoded.
  return readable(id, () => JSON.parse(json) as StoredResult);
}

/**
 * Returns a task with its inbox, its turn and its checkpoint.
 * @param posted An item that was just posted, which may be missing from `result`.
 * @throws An `UnreadableTaskError` if the task cannot be read.
 */
export function storedFrom(
  id: string,
  result: RawTask | null,
  codec: Codec,
  posted?: InboxItem,
): Stored {
  if (result === null) throw tooLarge(id);
  return readable(id, () => storedOf(result, codec.of(id), posted));
}

/** Returns a task like {@link storedFrom}, but without its turn and its checkpoint. */
export function storedTaskFrom(
  id: string,
  result: RawTask | null,
  codec: Codec,
  posted?: InboxItem,
): StoredTask {
  if (result === null) throw tooLarge(id);
  return readable(id, () => storedTaskOf(result, codec.of(id), posted));
}

/** Returns the text in a column, or an empty string for any other value. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
