import { type Task, TaskState } from "../../model.js";
import { equal, ok } from "./assert.js";
import { type Bench, type Cases, nothingClaimed, shortMs, statusEntry, statusOf, working } from "./bench.js";

/** Ends tasks one after the other, and returns them in this order. */
async function endAll(bench: Bench, count: number): Promise<Task[]> {
  const ended: Task[] = [];
  while (ended.length < count) {
    const { task, lease } = await bench.open();
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 1))], { release: true });
    // Stores may record the end of a task in milliseconds, so ends must be at least a millisecond apart.
    await bench.pass(2);
    ended.push(task);
  }
  return ended;
}

/** Returns the tasks that still exist. */
async function leftOf({ store, scope }: Bench, tasks: readonly Task[]): Promise<string[]> {
  const stored = await Promise.all(tasks.map(({ id }) => store.read(scope, id)));
  return stored.flatMap((each) => each?.task.id ?? []);
}

function idsOf(tasks: readonly Task[]): string[] {
  return tasks.map(({ id }) => id);
}

export const forgetting: Cases = {
  "the tasks that ended first are deleted if too many exist": async (bench) => {
    const ended = await endAll(bench, 6);
    equal(await bench.store.forget({ maxCount: 6 }), 0, "the number of deleted tasks below the limit");
    equal(await bench.store.forget({ maxCount: 4 }), 2, "how many go");
    equal(await leftOf(bench, ended), idsOf(ended.slice(2)), "the remaining items");
    equal(await bench.store.forget({ maxCount: 4 }), 0, "how many go then");
  },

  "a step deletes no more tasks than it allows": async (bench) => {
    const ended = await endAll(bench, 5);
    equal(await bench.store.forget({ maxCount: 0, step: 2 }), 2, "how many go");
    equal(await leftOf(bench, ended), idsOf(ended.slice(2)), "the remaining items");
  },

  "tasks that ended long ago are deleted": async (bench) => {
    const old = await endAll(bench, 2);
    await bench.pass(shortMs);
    const young = await bench.eventually("a task that is younger than the limit", async () => {
      const tasks = await endAll(bench, 1);
      await bench.store.forget({ maxAgeMs: shortMs });
      return (await leftOf(bench, tasks)).length === 1 ? tasks : undefined;
    });
    equal(await leftOf(bench, old), [], "the remaining old tasks");
    equal(await bench.store.forget({ maxAgeMs: 600_000 }), 0, "how many go that are younger than the limit");
    ok(young.length === 1, "a young task stays");
  },

  "tasks that have not ended are kept": async (bench) => {
    const { task, lease } = await bench.open();
    const resting = await bench.rest();
    await endAll(bench, 1);
    await bench.pass(2);
    equal(await bench.store.forget({ maxCount: 0, maxAgeMs: 1 }), 1, "how many go");
    equal(await leftOf(bench, [task, resting]), idsOf([task, resting]), "the remaining items");
    await bench.store.append(lease, [working(task, 2)]);
  },

  "all tasks are kept without limits": async (bench) => {
    await endAll(bench, 2);
    equal(await bench.store.forget({}), 0, "how many go");
  },

  "a deleted task is found by no call": async (bench) => {
    const { store, scope } = bench;
    const { id, task, lease } = await bench.open();
    await store.putWebhook(scope, bench.webhook(id, "hook"));
    await store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Failed, 1))], { release: true });
    equal(await store.forget({ maxCount: 0 }), 1, "how many go");
    equal(await store.read(scope, id), undefined, "read");
    equal(await store.post(scope, id, bench.item("hello"), bench.claim), undefined, "post");
    equal(await store.webhooks(scope, id), undefined, "its webhooks");
    equal(await store.dueWebhooks(bench.claim, 10), nothingClaimed, "what is due");
    for (const query of [{}, { contextId: task.contextId }, { state: TaskState.Failed }]) {
      const { tasks, total } = await store.list(scope, { limit: 10, ...query });
      equal([tasks, total], [[], 0], "list");
    }
  },
};
