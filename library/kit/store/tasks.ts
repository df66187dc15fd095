import type { Entry, InboxItem } from "./entries.js";
import type { Task } from "../model.js";

/** Tenant and owner of tasks. Tasks of other tenants or owners are invisible. */
export interface Scope {
  readonly tenant: string;
  readonly owner: string;
}

/** A stored task, with its inbox, the item of its turn, and its checkpoint. */
export interface Stored {
  /**
   * The task after all entries. Messages in the inbox are part of its history, as if they had been
   * taken.
   */
  readonly task: Task;
  readonly generation: number;
  readonly inbox: readonly InboxItem[];
  /**
   * The item that began the current or the last turn. After the task has ended, no turn follows, so
   * a store may keep only the item's id.
   */
  readonly turn: InboxItem;
  /**
   * State that a turn saved for the next turn, or for the process that resumes this turn. After the
   * task has ended, the state of its end.
   */
  readonly checkpoint: unknown;
  /**
   * Approximate size of the task in the store: the bytes, as JSON, of its snapshot, the entries
   * after the snapshot, its inbox, the item that began its turn, and its checkpoint. A claim that
   * is limited in bytes counts all of these bytes.
   */
  readonly bytes: number;
}

/** A task without the members that only its worker needs. */
export type StoredTask = Omit<Stored, "turn" | "checkpoint">;

/** A subscription to the entries of a task. */
export interface Watch {
  /**
   * Waits for entries and returns them in order, without repetitions. If the next entries have been
   * deleted, returns the current task instead, and continues after the generation of that task.
   * After `close`, returns only `undefined`.
   */
  next(): Promise<readonly Entry[] | Reset | undefined>;
  /** Ends the watch immediately, even while `next` waits. */
  close(): void;
}

/** Replaces entries that are no longer available to a watch. */
export interface Reset {
  readonly reset: Stored;
}
