import type { Artifact, Task, TaskStatus } from "../../kit/model.js";
import { applyEntries } from "../../kit/log/fold.js";
import type { Entry } from "../../kit/store.js";
import type { TaskCodec, TakenItems } from "./codec.js";

/**
 * Position of an entry in the log of a task. Within a generation, `nth` is 0 for the event, and
 * counts from 1 for the messages that were taken after the event.
 */
export interface Position {
  readonly generation: number;
  readonly nth: number;
}

/** Kinds of entries, so that a list query can skip artifacts. */
export const kinds = { status: 0, artifact: 1, message: 2 } as const;

/** An entry in the form of a database row. */
export interface EntryRow extends Position {
  readonly kind: number;
  /** The entry as JSON. */
  readonly body: string;
}

/**
 * Returns the rows of entries that follow a position.
 * @param bodies The JSON of the entries, if it is already written.
 */
export function rowsOf(
  entries: readonly Entry[],
  last: Position,
  codec: TaskCodec,
  bodies?: readonly string[],
): EntryRow[] {
  let { generation, nth } = last;
  return entries.map((entry, at) => {
    nth = entry.generation === generation ? nth + 1 : 0;
    ({ generation } = entry);
    return {
      generation,
      nth,
      kind: kindOf(entry),
      body: bodies?.[at] ?? codec.write(entry, "entry"),
    };
  });
}

export function kindOf(entry: Entry): number {
  if (!("event" in entry)) return kinds.message;
  return "statusUpdate" in entry.event ? kinds.status : kinds.artifact;
}

/**
 * Returns the last status in the given entries and its generation, or `undefined` if they contain
 * no status.
 */
export function lastStatus(
  entries: readonly Entry[],
): { readonly status: TaskStatus; readonly generation: number } | undefined {
  let last: { readonly status: TaskStatus; readonly generation: number } | undefined;
  for (const entry of entries) {
    if (!("event" in entry) || !("statusUpdate" in entry.event)) continue;
    last = { status: entry.event.statusUpdate.status, generation: entry.generation };
  }
  return last;
}

/** Returns the task in a snapshot, with the later entries applied. */
export function foldedOf({ task, artifacts, entries }: Omit<Parts, "taken">): Task {
  return applyEntries(artifacts === undefined ? task : { ...task, artifacts }, entries);
}

/** The stored parts of a task, before its entries are applied. */
export interface Parts {
  readonly task: Task;
  readonly artifacts: Artifact[] | undefined;
  /** Entries that the snapshot does not contain. */
  readonly entries: readonly Entry[];
  /** Indexes of large messages in the history of the snapshot, by item id. */
  readonly taken: TakenItems;
}
