import type { InboxItem, Refused, Stored, StoredTask } from "../../store.js";
import type { Codec } from "../log/codec.js";
import { type RawTask, readable, storedOf, tooLarge, waitingOf } from "../log/decode.js";
import type { Position } from "../log/rows.js";

/** The results of the functions of the schema: these types match the JSON that their SQL builds. */

/** A task, as `stored` returns it. */
export interface StoredResult extends Position, RawTask {
  readonly generation: number;
  /** Size of the snapshot and the entries since. */
  readonly logBytes: number;
  /** Position of the snapshot in the log. */
  readonly folded: Position;
}

export type PostResult =
  | { readonly outcome: "unreadable" }
  | Refused
  | {
      readonly outcome: "leased" | "posted";
      /** The epoch of the lease, or the number of posts. */
      readonly count: number;
      /** `null` if the task is too large to be read. */
      readonly stored: StoredResult | null;
    };

export type AppendResult =
  | { readonly outcome: "forgotten" | "lost" | "disorder" }
  | {
      readonly outcome: "appended";
      readonly released: boolean;
      readonly bytes: number;
      /** The rest is absent if nothing was appended. */
      readonly inbox?: readonly unknown[];
      readonly seen?: number;
      readonly isDue?: boolean;
      /** How many entries were new. */
      readonly count?: number;
      readonly grown?: number;
      readonly before?: Position;
      readonly end?: Position;
    };

export interface PutResult {
  /** Whether the scope has the task. */
  readonly found: boolean;
  readonly isFull?: boolean;
  readonly isDue?: boolean;
}

export interface ForgetResult {
  /** How many tasks and logs have gone. */
  readonly count: number;
  /** The tasks whose logs may go when their snapshots are up to date. */
  readonly unfolded: readonly string[];
}

export interface UsageResult {
  readonly openTasks: number;
  readonly openBytes: number;
  readonly webhooks: number;
  readonly storedBytes: number | null;
}

/** Parses the column with a task. Throws an `UnreadableTaskError` for a task that cannot be read. */
export function parsed(id: string, json: unknown): StoredResult {
  if (typeof json !== "string") throw tooLarge(id);
  // The function `stored` says what it returns; its parts are checked when they are decoded.
  return readable(id, () => JSON.parse(json) as StoredResult);
}

/**
 * Returns a task. Throws an `UnreadableTaskError` for a task that cannot be read. An item that was posted need not be in
 * the result.
 */
export function storedFrom(id: string, result: RawTask | null, codec: Codec, posted?: InboxItem): Stored {
  if (result === null) throw tooLarge(id);
  return readable(id, () => storedOf(result, codec, posted));
}

/** Does the same as {@link storedFrom} for a task without its turn. */
export function waitingFrom(id: string, result: RawTask | null, codec: Codec, posted: InboxItem): StoredTask {
  if (result === null) throw tooLarge(id);
  return readable(id, () => waitingOf(result, codec, posted));
}

/** Returns a column with a text. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
