import type { Artifact, Task, TaskStatus } from "../../model.js";
import { applyEntries } from "../../log/fold.js";
import type { Entry } from "../../store.js";
import type { Codec, TakenItems } from "./codec.js";

/**
 * Where an entry is in the log of a task: an event is number 0 of its generation, and the messages that were taken after
 * it are the next ones.
 */
export interface Position {
  readonly generation: number;
  readonly nth: number;
}

/** What kinds of entries there are, so that lists can do without reading artifacts. */
export const kinds = { status: 0, artifact: 1, message: 2 } as const;

/** An entry as a row. */
export interface EntryRow extends Position {
  readonly kind: number;
  /** The entry as JSON. */
  readonly body: string;
}

/** Returns the rows of entries that follow a position, with their JSON, if that was written already. */
export function rowsOf(
  entries: readonly Entry[],
  last: Position,
  codec: Codec,
  bodies?: readonly string[],
): EntryRow[] {
  let { generation, nth } = last;
  return entries.map((entry, at) => {
    nth = entry.generation === generation ? nth + 1 : 0;
    ({ generation } = entry);
    return { generation, nth, kind: kindOf(entry), body: bodies?.[at] ?? codec.write(entry) };
  });
}

export function kindOf(entry: Entry): number {
  if (!("event" in entry)) return kinds.message;
  return "statusUpdate" in entry.event ? kinds.status : kinds.artifact;
}

/** Returns the last status among some entries, and its generation; `undefined` where they have none. */
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

/** Returns a snapshot with the entries since. */
export function foldedOf({ task, artifacts, entries }: Omit<Parts, "taken">): Task {
  return applyEntries(artifacts === undefined ? task : { ...task, artifacts }, entries);
}

/** What a store has of a task, before its entries are part of it. */
export interface Parts {
  readonly task: Task;
  readonly artifacts: Artifact[] | undefined;
  /** Those that the snapshot does not have. */
  readonly entries: readonly Entry[];
  /** Where the history of the snapshot has large messages, by their items. */
  readonly taken: TakenItems;
}
