import { type Task, TaskState } from "../../../kit/model.js";
import { equal } from "./assert.js";
import {
  type Bench,
  type Cases,
  nothingClaimed,
  shortMs,
  statusEntry,
  statusOf,
  working,
} from "./bench.js";

/** Ends tasks one after the other, and returns them in this order. */
async function endAll(bench: Bench, count: number): Promise<Task[]> {
  const ended: Task[] = [];
  while (ended.length < count) {
    const { task, lease } = await bench.open();
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 1))], {
      release: true,
    });
    // Stores may record when a task ended in milliseconds, so the tasks must end at least a
    // millisecond apart.
    await bench.pass(2);
    ended.push(task);
  }
  return ended;
}

/** Returns the tasks that still exist. */
async function leftOf({ store, scope }: Bench, tasks: readonly Task[]): Promise<string[]> {
  const stored = await Promise.all(tasks.map(({ id }) => store.read(scope, id)));
  return stored.flatMap((found) => found?.task.id ?? []);
}

function idsOf(tasks: readonly Task[]): string[] {
  return tasks.map(({ id }) => id);
}

export const deletion: Cases = {
  "`deleteExpired` deletes the tasks that ended first if `maxCount` is exceeded": async (bench) => {
    const ended = await endAll(bench, 6);
    equal(
      await bench.store.deleteExpired({ maxCount: 6 * bench.databases }),
      0,
      "the number of deleted tasks at `maxCount`",
    );
    equal(
      await bench.store.deleteExpired({ maxCount: 4 * bench.databases }),
      2,
      "the number of deleted tasks",
    );
    equal(await leftOf(bench, ended), idsOf(ended.slice(2)), "the remaining tasks");
    equal(
      await bench.store.deleteExpired({ maxCount: 4 * bench.databases }),
      0,
      "the number of deleted tasks in the second call",
    );
  },

  "`deleteExpired` deletes at most `step` tasks": async (bench) => {
    const ended = await endAll(bench, 5);
    equal(
      await bench.store.deleteExpired({ maxCount: 0, step: 2 }),
      2,
      "the number of deleted tasks",
    );
    equal(await leftOf(bench, ended), idsOf(ended.slice(2)), "the remaining tasks");
  },

  "`deleteExpired` deletes tasks that ended more than `maxAgeMs` ago": async (bench) => {
    const old = await endAll(bench, 2);
    await bench.pass(shortMs);
    const young = await bench.eventually("a task that is younger than the limit", async () => {
      const tasks = await endAll(bench, 1);
      await bench.store.deleteExpired({ maxAgeMs: shortMs });
      return (await leftOf(bench, tasks)).length === 1 ? tasks : undefined;
    });
    equal(await leftOf(bench, old), [], "the remaining tasks that are older than the limit");
    equal(
      await bench.store.deleteExpired({ maxAgeMs: 600_000 }),
      0,
      "the number of deleted tasks that are younger than the limit",
    );
    equal(await leftOf(bench, young), idsOf(young), "the remaining task that is younger");
  },

  "`deleteExpired` keeps tasks that have not ended": async (bench) => {
    const { task, lease } = await bench.open();
    const resting = await bench.rest();
    await endAll(bench, 1);
    await bench.pass(2);
    equal(
      await bench.store.deleteExpired({ maxCount: 0, maxAgeMs: 1 }),
      1,
      "the number of deleted tasks",
    );
    equal(await leftOf(bench, [task, resting]), idsOf([task, resting]), "the remaining tasks");
    await bench.store.append(lease, [working(task, 2)]);
  },

  "`deleteExpired` keeps all tasks if it is called without limits": async (bench) => {
    const ended = await endAll(bench, 2);
    equal(await bench.store.deleteExpired({}), 0, "the number of deleted tasks");
    equal(await leftOf(bench, ended), idsOf(ended), "the remaining tasks");
  },

  "no method of a store returns a deleted task": async (bench) => {
    const { store, scope } = bench;
    const { id, task, lease } = await bench.open();
    await store.putWebhook(scope, bench.webhook(id, "hook"));
    await store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Failed, 1))], {
      release: true,
    });
    equal(await store.deleteExpired({ maxCount: 0 }), 1, "the number of deleted tasks");
    equal(await store.read(scope, id), undefined, "the result of `read`");
    equal(
      await store.post(scope, id, bench.item("hello"), bench.claim),
      undefined,
      "the result of `post`",
    );
    equal(await store.webhooks(scope, id), undefined, "the webhooks of the deleted task");
    equal(await store.claimWebhooks(bench.claim, 10), nothingClaimed, "the due webhooks");
    for (const query of [{}, { contextId: task.contextId }, { state: TaskState.Failed }]) {
      const { tasks, total } = await store.list(scope, { limit: 10, ...query });
      equal([tasks, total], [[], 0], "the tasks and the total of a list");
    }
  },
};
