import type { Entry } from "../store.js";

/**
 * Returns the entries that the log of a task does not contain yet: later events, and messages that
 * are still in its inbox. Throws if there is a gap between the log and the entries. In this case,
 * none of the entries may be added.
 */
export function newEntries(
  entries: readonly Entry[],
  task: { readonly id: string; readonly generation: number },
  isInInbox: (item: string) => boolean,
): readonly Entry[] {
  const added = entries.filter((entry) =>
    "event" in entry ? entry.generation > task.generation : isInInbox(entry.item),
  );
  let { generation } = task;
  for (const entry of added) {
    if ("event" in entry) generation += 1;
    if (entry.generation !== generation)
      throw new RangeError(
        `Generation ${String(entry.generation)} is not the next generation in the log of task ` +
          task.id,
      );
  }
  return added.length === entries.length ? entries : added;
}
