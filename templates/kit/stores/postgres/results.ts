import type { Artifact, Task } from "../../../models.js";
import type { Entry, EventEntry, InboxItem, Stored, Webhook } from "../../store.js";
import { storedOf } from "../log/rows.js";
import type { Position } from "../log/rows.js";

/** What the functions of the schema return: these types say what their SQL builds. */

export interface StoredResult extends Position {
  readonly task: Task;
  readonly artifacts: Artifact[] | null;
  readonly entries: readonly Entry[] | null;
  readonly inbox: readonly InboxItem[] | null;
  /** How many events there were since the snapshot. */
  readonly grown: number;
  readonly turn: InboxItem;
  readonly checkpoint: unknown;
  /** Whether there is a checkpoint. */
  readonly kept: boolean;
}

export type PostResult =
  | { readonly outcome: "leased"; readonly epoch: number; readonly stored: StoredResult }
  | { readonly outcome: "posted"; readonly posts: number; readonly stored: StoredResult }
  | {
      readonly outcome: "ended" | "otherGeneration" | "otherContext" | "full";
      readonly stored: StoredResult;
    };

export type AppendResult =
  | { readonly outcome: "forgotten" | "lost" | "disorder" }
  | {
      readonly outcome: "appended";
      readonly released: boolean;
      /** The rest is not there where nothing was appended. */
      readonly inbox?: readonly InboxItem[] | null;
      readonly isDue?: boolean;
      /** How many entries were new. */
      readonly count?: number;
      readonly grown?: number;
      readonly before?: Position;
      readonly end?: Position;
    };

export interface ExpiredResult {
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly epoch: number;
  readonly stored: StoredResult;
}

export interface PutResult {
  /** Whether the scope has the task. */
  readonly found: boolean;
  readonly isDue?: boolean;
}

export interface DueResult {
  readonly webhook: Webhook;
  readonly tenant: string;
  readonly owner: string;
  readonly epoch: number;
  readonly failures: number;
  readonly events: readonly EventEntry[] | null;
}

export interface BatchResult {
  readonly rows: readonly (readonly [generation: number, nth: number, entry: Entry])[] | null;
  /** The task, where the entries have gone. */
  readonly reset: StoredResult | null;
}

export interface ForgetResult {
  /** How many tasks and logs have gone. */
  readonly count: number;
  /** The tasks whose logs may go when their snapshots are up to date. */
  readonly unfolded: readonly string[];
}

export interface ListResult {
  readonly total: number;
  readonly tasks: readonly { readonly time: number; readonly stored: StoredResult }[] | null;
}

/** Returns a task as it is. */
export function storedFrom(result: StoredResult): Stored {
  const { task, artifacts, entries, inbox, generation, turn, checkpoint, kept } = result;
  return storedOf({
    ...{ task, generation, turn, inbox: inbox ?? [], entries: entries ?? [] },
    artifacts: artifacts ?? undefined,
    checkpoint: kept ? checkpoint : undefined,
  });
}
