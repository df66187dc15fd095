import { TaskState } from "../../../kit/model.js";
import { CursorError, type ListedTask, type TaskPage, type TaskQuery } from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  type Bench,
  type Cases,
  type Opened,
  chunkEntry,
  start,
  statusEntry,
  statusOf,
} from "./bench.js";

function idsOf(tasks: readonly ListedTask[]): string[] {
  return tasks.map(({ task }) => task.id);
}

function listedOf(stored: ListedTask | undefined): ListedTask | undefined {
  return stored && { task: stored.task, generation: stored.generation };
}

/** Returns the ids of all pages of a list, and calls a function after each page. */
async function pagesOf(
  { store, scope }: Bench,
  query: TaskQuery,
  between?: (page: TaskPage) => void | Promise<void>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(scope, { ...query, cursor });
    pages.push(idsOf(page.tasks));
    ok(page.tasks.length <= query.limit, "a page must have at most `limit` tasks");
    await between?.(page);
    cursor = page.next;
    ok(pages.length < 100, "a list must have a last page");
  } while (cursor !== undefined);
  return pages;
}

async function listed({ store, scope }: Bench, query: Partial<TaskQuery> = {}): Promise<string[]> {
  const { tasks, total, next } = await store.list(scope, { limit: 100, ...query });
  equal(
    [total, next],
    [tasks.length, undefined],
    "the total and the cursor of a list with one page",
  );
  return idsOf(tasks);
}

/** Creates a task whose status was reached `second` seconds after the start. */
function openAt(bench: Bench, second: number, contextId?: string): Promise<Opened> {
  const status = statusOf(TaskState.Submitted, second);
  return bench.open({ status, ...(contextId !== undefined && { contextId }) });
}

/** Creates a task for each of `seconds`, and returns the tasks in this order. */
async function openAll(
  bench: Bench,
  seconds: readonly number[],
  contextId?: string,
): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (const second of seconds) opened.push(await openAt(bench, second, contextId));
  return opened;
}

/** Invalid cursors. */
const invalidCursors = ["nonsense", "%", "-", "[]", "{}", "null", "'; --", "漢"];

export const lists: Cases = {
  "`list` returns the task with the newest status first, and orders equal times by descending id":
    async (bench) => {
      const opened = await openAll(bench, [5, 1, 9, 5, 3, 5]);
      const order = [2, 5, 3, 0, 4, 1].map((at) => opened[at]?.id);
      equal(await listed(bench), order, "the tasks");
    },

  "only a new status changes the position of a task in a list": async (bench) => {
    const one = await openAt(bench, 1);
    const two = await openAt(bench, 2);
    const three = await openAt(bench, 3);
    await bench.store.append(two.lease, [statusEntry(two.task, 2, statusOf(TaskState.Working, 4))]);
    await bench.store.append(one.lease, [
      chunkEntry(one.task, 2, { artifactId: "a", parts: [{ text: "x" }] }),
    ]);
    await bench.store.post(bench.scope, one.id, bench.item("hello"), bench.claim);
    equal(await listed(bench), [two.id, three.id, one.id], "the tasks");
    await bench.store.append(two.lease, [statusEntry(two.task, 3, statusOf(TaskState.Working, 0))]);
    equal(
      await listed(bench),
      [three.id, one.id, two.id],
      "the tasks after a status with an earlier time",
    );
  },

  "`list` returns the same tasks as `read`, without artifacts": async (bench) => {
    const { task, lease } = await bench.open({}, { checkpoint: { step: 1 } });
    await bench.store.post(bench.scope, task.id, bench.item("hello"), bench.claim);
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Working, 1))]);
    const { tasks } = await bench.store.list(bench.scope, { limit: 1 });
    equal(tasks, [listedOf(await bench.store.read(bench.scope, task.id))], "the task");
  },

  "`list` returns artifacts if the query requests them": async (bench) => {
    const { task, lease } = await bench.open({
      artifacts: [{ artifactId: "first", parts: [{ text: "one" }] }],
    });
    await bench.store.append(lease, [
      chunkEntry(task, 2, { artifactId: "second", parts: [{ text: "two" }] }),
    ]);
    const read = async (): Promise<ListedTask | undefined> =>
      listedOf(await bench.store.read(bench.scope, task.id));
    equal(
      (await bench.store.list(bench.scope, { limit: 1, artifacts: true })).tasks,
      [await read()],
      "a working task in the list",
    );
    await bench.store.append(lease, [statusEntry(task, 3, statusOf(TaskState.Completed, 1))]);
    equal(
      (await bench.store.list(bench.scope, { limit: 1, artifacts: true })).tasks,
      [await read()],
      "a completed task in the list",
    );
  },

  "`list` filters by context, state and time, and by combinations of them": async (bench) => {
    const [a, b] = [
      await openAll(bench, [1, 3, 5, 7], "a"),
      await openAll(bench, [2, 4, 6, 8], "b"),
    ];
    const end = async ({ task, lease }: Opened): Promise<unknown> =>
      bench.store.append(lease, [
        statusEntry(task, 2, { ...task.status, state: TaskState.Completed }),
      ]);
    for (const opened of [...a.slice(0, 2), ...b.slice(2)]) await end(opened);
    const ids = (...of: (Opened | undefined)[]): unknown[] => of.map((opened) => opened?.id);
    const state = TaskState.Completed;
    equal(
      await listed(bench, { contextId: "a" }),
      ids(a[3], a[2], a[1], a[0]),
      "the tasks of a context",
    );
    equal(await listed(bench, { state }), ids(b[3], b[2], a[1], a[0]), "the tasks in a state");
    equal(
      await listed(bench, { since: start + 7_000 }),
      ids(b[3], a[3]),
      "the tasks since the time of a status",
    );
    equal(
      await listed(bench, { since: start + 7_001 }),
      ids(b[3]),
      "the tasks since a time between two statuses",
    );
    equal(
      await listed(bench, { contextId: "b", state }),
      ids(b[3], b[2]),
      "the tasks of a context in a state",
    );
    equal(
      await listed(bench, { contextId: "b", since: start + 4_000 }),
      ids(b[3], b[2], b[1]),
      "the tasks of a context since a time",
    );
    equal(
      await listed(bench, { state, since: start + 3_000 }),
      ids(b[3], b[2], a[1]),
      "the tasks in a state since a time",
    );
    equal(
      await listed(bench, { contextId: "a", state, since: start + 3_000 }),
      ids(a[1]),
      "the tasks that match all filters",
    );
    equal(await listed(bench, { contextId: "c" }), [], "the tasks of a context without tasks");
    equal(
      await listed(bench, { state: TaskState.Failed }),
      [],
      "the tasks in a state without tasks",
    );
    equal(
      await listed(bench, { since: start + 9_000 }),
      [],
      "the tasks since a time after the newest status",
    );
  },

  "the pages of a list have each task once, and the last page has no cursor": async (bench) => {
    const opened = await openAll(bench, [3, 3, 1, 2, 3, 3, 2, 1]);
    const order = await listed(bench);
    equal([...order].sort(), opened.map(({ id }) => id).sort(), "the tasks of one page");
    for (const [limit, sizes] of [
      [3, [3, 3, 2]],
      [4, [4, 4]],
      [1, Array<number>(8).fill(1)],
      [8, [8]],
    ] as const) {
      const pages = await pagesOf(bench, { limit }, ({ total }) => {
        equal(total, 8, "the total on each page");
      });
      equal(
        pages.map((page) => page.length),
        sizes,
        `the lengths of the pages with the limit ${String(limit)}`,
      );
      equal(pages.flat(), order, `the tasks of the pages with the limit ${String(limit)}`);
    }
  },

  "the pages of a filtered list have the matching tasks": async (bench) => {
    await openAll(bench, [1, 2, 3], "a");
    const b = await openAll(bench, [1, 2, 3, 4, 5], "b");
    const query = { contextId: "b", state: TaskState.Submitted, since: start + 2_000, limit: 2 };
    const expected = [
      [b[4]?.id, b[3]?.id],
      [b[2]?.id, b[1]?.id],
    ];
    equal(await pagesOf(bench, query), expected, "the pages");
  },

  "unchanged tasks keep their positions in the pages while other tasks change": async (bench) => {
    const opened = await openAll(
      bench,
      Array.from({ length: 12 }, (_, at) => at),
    );
    const changing = opened.filter((_, at) => at % 3 === 0);
    let second = 100;
    const pages = await pagesOf(bench, { limit: 2 }, async ({ tasks }) => {
      // A change to the last task of the page moves the task that the cursor refers to.
      const moved = changing.find(({ id }) => tasks.at(-1)?.task.id === id) ?? changing.at(0);
      if (moved === undefined) return;
      const { generation = 0 } = (await bench.store.read(bench.scope, moved.id)) ?? {};
      second += 1;
      await bench.store.append(moved.lease, [
        statusEntry(moved.task, generation + 1, statusOf(TaskState.Working, second)),
      ]);
      await openAll(bench, [second]);
    });
    const found = pages.flat();
    equal(new Set(found).size, found.length, "the number of different tasks in the pages");
    const unchanged = opened.filter((task) => !changing.includes(task)).map(({ id }) => id);
    equal(
      found.filter((id) => unchanged.includes(id)),
      unchanged.reverse(),
      "the unchanged tasks in the pages",
    );
  },

  "`list` orders working tasks by the exact time of the status, even if it has hardly changed":
    async (bench) => {
      const opened = await openAll(
        bench,
        Array.from({ length: 24 }, () => 0),
      );
      const times = opened.map(() => 0);
      // The steps are between half a second back and 7 seconds forward, in an irregular order.
      for (let step = 0; step < 96; step += 1) {
        const at = (step * 7) % opened.length;
        const changed = opened.at(at);
        if (changed === undefined) break;
        const { task, lease } = changed;
        const time =
          (times[at] ?? 0) + (((step * step * 37) % 91) - 6) / (step % 3 === 0 ? 12 : 120);
        times[at] = time;
        const generation = 2 + Math.floor(step / opened.length);
        await bench.store.append(lease, [
          statusEntry(task, generation, statusOf(TaskState.Working, time)),
        ]);
      }
      const inMs = times.map((time) => new Date(start + time * 1_000).getTime());
      const order = opened
        .map(({ id }, at) => ({ id, time: inMs[at] ?? 0 }))
        .sort((one, other) => other.time - one.time || (one.id < other.id ? 1 : -1));
      const ids = order.map(({ id }) => id);
      for (const limit of [1, 5, 24]) {
        const pages = await pagesOf(bench, { limit, state: TaskState.Working });
        equal(pages.flat(), ids, `the tasks of the pages with the limit ${String(limit)}`);
      }
      for (const { time } of order) {
        const since = order.filter((task) => task.time >= time).map(({ id }) => id);
        equal(await listed(bench, { since: time }), since, "the tasks since the time of a status");
        const later = order.filter((task) => task.time >= time + 1).map(({ id }) => id);
        equal(
          await listed(bench, { since: time + 1 }),
          later,
          "the tasks since a millisecond after a status",
        );
      }
    },

  "`list` rejects a cursor that it has not returned": async (bench) => {
    await openAll(bench, [1, 2]);
    for (const cursor of invalidCursors)
      await rejects(
        bench.store.list(bench.scope, { limit: 1, cursor }),
        CursorError,
        `a list with the cursor ${cursor}`,
      );
  },

  "`list` returns tasks without a context or a status time": async (bench) => {
    const task = { id: bench.id("task"), status: { state: TaskState.Completed } };
    await bench.store.create(task, bench.options());
    const { id } = await openAt(bench, 1);
    equal(await listed(bench), [id, task.id], "the tasks");
  },

  "`list` returns an empty page if no task exists": async (bench) => {
    const { tasks, total, next } = await bench.store.list(bench.scope, { limit: 10 });
    equal([tasks, total, next], [[], 0, undefined], "the page");
  },
};
