import { expect, it } from "vitest";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import type { TaskQuery, TaskStore } from "../../../../library/kit/store.js";
import { processorTime } from "../../../support/processor-time.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { seed } from "../../../support/seed.js";

const scope = { tenant: "", owner: "ada" };
const count = 1_000_000;

/**
 * Fills a store with tasks that have ended, a millisecond after each other and in a hundred
 * contexts.
 */
async function fill(store: TaskStore) {
  const states = [TaskState.Completed, TaskState.Completed, TaskState.Failed];
  const turn = { id: "begin" };
  for (let at = 0; at < count; at += 1) {
    const state = states[at % states.length] ?? TaskState.Completed;
    const status = { state, timestamp: new Date(at).toISOString() };
    await store.create(
      { id: `task-${at}`, contextId: `context-${at % 100}`, status },
      { scope, turn },
    );
  }
}

it("a page of a million finished tasks takes less than 5 ms, with any filter and cursor", async () => {
  const store = memoryStore({ maxCount: count, maxBytes: Infinity });
  await fill(store);
  const random = new Random(seedOf(seed, "million", 0));
  const filters: Omit<TaskQuery, "limit">[] = [
    {},
    { state: TaskState.Failed },
    { contextId: "context-7" },
    { contextId: "context-7", state: TaskState.Failed },
    { since: 500_000 },
    { contextId: "context-7", state: TaskState.Completed, since: 10 },
  ];
  for (const filter of filters) {
    let cursor: string | undefined;
    const start = processorTime();
    for (let page = 0; page < 200; page += 1) {
      const from = random.oneIn(3) ? `${random.below(count)}_task` : cursor;
      ({ next: cursor } = await store.list(scope, { ...filter, cursor: from, limit: 50 }));
    }
    expect((processorTime() - start) / 200, JSON.stringify(filter)).toBeLessThan(5);
  }
  const { total } = await store.list(scope, { limit: 1 });
  expect(total).toBe(count);
});
