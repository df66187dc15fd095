import { TaskState } from "../../generated/1.1-draft/models.js";
import type { AppendOptions, Entry, TaskStore } from "../../library/kit/store.js";
import {
  Bench,
  chunkEntry,
  messageEntry,
  statusEntry,
  statusOf,
  working,
} from "../../library/stores/testing/contract/bench.js";

/**
 * Returns the results of some appends to a new store, and what `dump` returns after each of them.
 * Most of the appends only add events, for which a database has a shorter way. If `isLong` is set,
 * the appends also have an option that changes nothing, so that the database does not use that way.
 * Both must have the same results.
 */
export async function resultsOfAppends(
  store: TaskStore,
  isLong: boolean,
  dump: () => Promise<unknown>,
): Promise<readonly unknown[]> {
  const bench = new Bench(store, 20_000, undefined);
  const { scope, claim } = bench;
  const found: unknown[] = [];
  for (const hooks of [0, 1]) {
    const { id, task, lease } = await bench.open();
    const append = async (entries: readonly Entry[], more: AppendOptions = {}) => {
      const options = isLong ? { ...more, taken: ["none", ...(more.taken ?? [])] } : more;
      const { bytes, inbox, seen = 0 } = await store.append(lease, entries, options);
      found.push([bytes, inbox.length, seen], await dump());
      return seen;
    };
    const chunk = (at: number): Entry =>
      chunkEntry(task, at, { artifactId: "a", parts: [{ text: "ä" }] }, at > 4);
    for (const generation of [2, 3]) await append([working(task, generation)]);
    if (hooks > 0) await store.putWebhook(scope, bench.webhook(id, "hook", { after: 3 }));
    await append([chunk(4)], { ttlMs: claim.ttlMs * 10 });
    await append([working(task, 5), chunk(6), working(task, 7)], { ttlMs: claim.ttlMs });
    await append([working(task, 7)]);
    const item = bench.item("hello");
    await store.post(scope, id, item, claim);
    const seen = await append([chunk(8)]);
    await append([working(task, 9)], { seen });
    await append([messageEntry(9, item)], { seen, taken: [item.id] });
    await store.list(scope, { limit: 1 });
    for (const generation of [10, 11]) await append([working(task, generation)], { seen });
    await append([statusEntry(task, 12, statusOf(TaskState.Working, 11.5))], { seen });
    await append([statusEntry(task, 13, statusOf(TaskState.Working, 9))], { seen });
    await append([statusEntry(task, 14, statusOf(TaskState.Submitted, 9.1))], { seen });
    await append([statusEntry(task, 15, statusOf(TaskState.Completed, 13))], { seen });
    await append([chunk(16)]);
  }
  return found;
}
