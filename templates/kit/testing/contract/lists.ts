import { TaskState } from "../../model.js";
import { CursorError, type ListedTask, type TaskPage, type TaskQuery } from "../../store.js";
import { equal, ok, rejects } from "./assert.js";
import { type Bench, type Cases, type Opened, pieceEntry, start, statusEntry, statusOf } from "./bench.js";

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
    ok(page.tasks.length <= query.limit, "a page has no more tasks than the limit says");
    await between?.(page);
    cursor = page.next;
    ok(pages.length < 100, "the pages come to an end");
  } while (cursor !== undefined);
  return pages;
}

async function listed({ store, scope }: Bench, query: Partial<TaskQuery> = {}): Promise<string[]> {
  const { tasks, total, next } = await store.list(scope, { limit: 100, ...query });
  equal([total, next], [tasks.length, undefined], "the total of a list with one page, and its next one");
  return idsOf(tasks);
}

/** Creates a task whose status is some seconds old. */
function openAt(bench: Bench, second: number, contextId?: string): Promise<Opened> {
  const status = statusOf(TaskState.Submitted, second);
  return bench.open({ status, ...(contextId !== undefined && { contextId }) });
}

/** Creates tasks whose statuses are some seconds old. A list returns them in this order. */
async function openAll(bench: Bench, seconds: readonly number[], contextId?: string): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (const second of seconds) opened.push(await openAt(bench, second, contextId));
  return opened;
}

/** Invalid cursors. */
const nonsense = ["nonsense", "%", "-", "[]", "{}", "null", "'; --", "漢"];

export const lists: Cases = {
  "a list starts with the newest status, and with the greater id if times are equal": async (bench) => {
    const opened = await openAll(bench, [5, 1, 9, 5, 3, 5]);
    const order = [2, 5, 3, 0, 4, 1].map((at) => opened[at]?.id);
    equal(await listed(bench), order, "the tasks");
  },

  "the position of a task only changes with its status": async (bench) => {
    const one = await openAt(bench, 1);
    const two = await openAt(bench, 2);
    const three = await openAt(bench, 3);
    await bench.store.append(two.lease, [statusEntry(two.task, 2, statusOf(TaskState.Working, 4))]);
    await bench.store.append(one.lease, [pieceEntry(one.task, 2, { artifactId: "a", parts: [{ text: "x" }] })]);
    await bench.store.post(bench.scope, one.id, bench.item("hello"), bench.claim);
    equal(await listed(bench), [two.id, three.id, one.id], "the tasks");
    await bench.store.append(two.lease, [statusEntry(two.task, 3, statusOf(TaskState.Working, 0))]);
    equal(await listed(bench), [three.id, one.id, two.id], "the tasks when a status has an earlier time");
  },

  "lists and read return the same, except for artifacts": async (bench) => {
    const { task, lease } = await bench.open({}, { checkpoint: { step: 1 } });
    await bench.store.post(bench.scope, task.id, bench.item("hello"), bench.claim);
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Working, 1))]);
    const { tasks } = await bench.store.list(bench.scope, { limit: 1 });
    equal(tasks, [listedOf(await bench.store.read(bench.scope, task.id))], "the task");
  },

  "lists have artifacts if the query requests them": async (bench) => {
    const { task, lease } = await bench.open({ artifacts: [{ artifactId: "first", parts: [{ text: "one" }] }] });
    await bench.store.append(lease, [pieceEntry(task, 2, { artifactId: "second", parts: [{ text: "two" }] })]);
    const read = async (): Promise<ListedTask | undefined> => listedOf(await bench.store.read(bench.scope, task.id));
    equal((await bench.store.list(bench.scope, { limit: 1, artifacts: true })).tasks, [await read()], "a task at work");
    await bench.store.append(lease, [statusEntry(task, 3, statusOf(TaskState.Completed, 1))]);
    equal((await bench.store.list(bench.scope, { limit: 1, artifacts: true })).tasks, [await read()], "an ended task");
  },

  "filters by context, state and time work alone and together": async (bench) => {
    const [a, b] = [await openAll(bench, [1, 3, 5, 7], "a"), await openAll(bench, [2, 4, 6, 8], "b")];
    const end = async ({ task, lease }: Opened): Promise<unknown> =>
      bench.store.append(lease, [statusEntry(task, 2, { ...task.status, state: TaskState.Completed })]);
    for (const opened of [...a.slice(0, 2), ...b.slice(2)]) await end(opened);
    const ids = (...of: (Opened | undefined)[]): unknown[] => of.map((opened) => opened?.id);
    const state = TaskState.Completed;
    equal(await listed(bench, { contextId: "a" }), ids(a[3], a[2], a[1], a[0]), "the tasks of a context");
    equal(await listed(bench, { state }), ids(b[3], b[2], a[1], a[0]), "those in a state");
    equal(await listed(bench, { since: start + 7_000 }), ids(b[3], a[3]), "those since a time");
    equal(await listed(bench, { since: start + 7_001 }), ids(b[3]), "the tasks since a time between two changes");
    equal(await listed(bench, { contextId: "b", state }), ids(b[3], b[2]), "the tasks of a context in a state");
    equal(await listed(bench, { contextId: "b", since: start + 4_000 }), ids(b[3], b[2], b[1]), "of a context, since");
    equal(await listed(bench, { state, since: start + 3_000 }), ids(b[3], b[2], a[1]), "in a state, since");
    equal(await listed(bench, { contextId: "a", state, since: start + 3_000 }), ids(a[1]), "with all filters");
    equal(await listed(bench, { contextId: "c" }), [], "the tasks of a context without tasks");
    equal(await listed(bench, { state: TaskState.Failed }), [], "those in a state without tasks");
    equal(await listed(bench, { since: start + 9_000 }), [], "those since a time after all of them");
  },

  "pages contain each task once, and only the last page has no cursor": async (bench) => {
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
        `how long pages are with the limit ${String(limit)}`,
      );
      equal(pages.flat(), order, `the tasks of pages with the limit ${String(limit)}`);
    }
  },

  "pages of a filtered list contain exactly the matching tasks": async (bench) => {
    await openAll(bench, [1, 2, 3], "a");
    const b = await openAll(bench, [1, 2, 3, 4, 5], "b");
    const query = { contextId: "b", state: TaskState.Submitted, since: start + 2_000, limit: 2 };
    const expected = [
      [b[4]?.id, b[3]?.id],
      [b[2]?.id, b[1]?.id],
    ];
    equal(await pagesOf(bench, query), expected, "the pages");
  },

  "unchanged tasks keep their position while other tasks change": async (bench) => {
    const opened = await openAll(
      bench,
      Array.from({ length: 12 }, (_, at) => at),
    );
    const changing = opened.filter((_, at) => at % 3 === 0);
    let second = 100;
    const pages = await pagesOf(bench, { limit: 2 }, async ({ tasks }) => {
      const seen = changing.find(({ id }) => tasks.at(-1)?.task.id === id) ?? changing.at(0);
      if (seen === undefined) return;
      const { generation = 0 } = (await bench.store.read(bench.scope, seen.id)) ?? {};
      second += 1;
      await bench.store.append(seen.lease, [
        statusEntry(seen.task, generation + 1, statusOf(TaskState.Working, second)),
      ]);
      await openAll(bench, [second]);
    });
    const found = pages.flat();
    equal(new Set(found).size, found.length, "how many different tasks the pages have");
    const still = opened.filter((each) => !changing.includes(each)).map(({ id }) => id);
    equal(
      found.filter((id) => still.includes(id)),
      still.reverse(),
      "the tasks that have not changed",
    );
  },

  "a cursor that no list has returned is refused": async (bench) => {
    await openAll(bench, [1, 2]);
    for (const cursor of nonsense)
      await rejects(bench.store.list(bench.scope, { limit: 1, cursor }), CursorError, `the cursor ${cursor}`);
  },

  "tasks without a context or a time of their status are in lists, too": async (bench) => {
    const task = { id: bench.id("task"), status: { state: TaskState.Completed } };
    await bench.store.create(task, bench.options());
    const { id } = await openAt(bench, 1);
    equal(await listed(bench), [id, task.id], "the tasks");
  },

  "an empty list is an empty page": async (bench) => {
    const { tasks, total, next } = await bench.store.list(bench.scope, { limit: 10 });
    equal([tasks, total, next], [[], 0, undefined], "the page");
  },
};
