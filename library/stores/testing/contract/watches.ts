import type { Entry, Reset, Watch } from "../../../kit/store.js";
import { equal, ok } from "./assert.js";
import { type Bench, type Cases, messageEntry, working, workingUntil } from "./bench.js";

/**
 * Returns the generations that a watch has returned: the generations of entries, and of tasks that
 * replaced entries.
 */
function generationsOf(found: readonly (Entry | Reset)[]): string[] {
  return found.map((entry) =>
    "reset" in entry ? `reset ${String(entry.reset.generation)}` : String(entry.generation),
  );
}

function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
}

/**
 * Checks that a watch has returned every generation once. A task that replaces entries counts for
 * all generations up to its own.
 */
function checkGapless(found: readonly (Entry | Reset)[], after: number, last: number): void {
  let generation = after;
  for (const entry of found) {
    if ("reset" in entry) {
      ok(entry.reset.generation >= generation, "a reset must not go back to an earlier generation");
      ({ generation } = entry.reset);
      continue;
    }
    equal(
      entry.generation,
      generation + 1,
      `the generation of the entry after generation ${String(generation)}`,
    );
    ({ generation } = entry);
  }
  equal(generation, last, "the last generation that the watch has returned");
}

async function closing<T>(watch: Watch, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    watch.close();
  }
}

/** Appends entries to a task, some of them together, and yields to the event loop in between. */
async function appendSlowly(
  bench: Bench,
  opened: Awaited<ReturnType<Bench["open"]>>,
  last: number,
): Promise<void> {
  for (let generation = 2; generation <= last;) {
    const until = Math.min(last, generation + (generation % 3));
    await bench.store.append(opened.lease, workingUntil(opened.task, generation, until));
    if (until % 7 === 0) await bench.pass(1);
    generation = until + 1;
  }
}

export const watches: Cases = {
  "a watch returns each appended entry once, in order": async (bench) => {
    const opened = await bench.open();
    const watch = bench.store.watch(bench.scope, opened.id, 1);
    await closing(watch, async () => {
      const [found] = await Promise.all([
        bench.entriesUntil(watch, 40),
        appendSlowly(bench, opened, 40),
      ]);
      equal(generationsOf(found), numbers(2, 40), "the generations of the entries");
      equal(found[5], working(opened.task, 7), "the sixth entry");
    });
  },

  "a watch that was opened before its task was created returns all entries": async (bench) => {
    const task = bench.task();
    const watch = bench.store.watch(bench.scope, task.id, 0);
    await closing(watch, async () => {
      const found = bench.entriesUntil(watch, 4);
      await bench.pass(1);
      const options = bench.options({ claim: bench.claim, entries: workingUntil(task, 2, 3) });
      const lease = await bench.store.create(task, options);
      if (lease !== undefined) await bench.store.append(lease, [working(task, 4)]);
      equal(generationsOf(await found), numbers(2, 4), "the generations of the entries");
    });
  },

  "a watch begins after the generation with which it was opened": async (bench) => {
    const { id, task, lease } = await bench.open();
    await bench.store.append(lease, workingUntil(task, 2, 6));
    for (const after of [1, 4, 5]) {
      const watch = bench.store.watch(bench.scope, id, after);
      await closing(watch, async () => {
        checkGapless(await bench.entriesUntil(watch, 6), after, 6);
      });
    }
    const watch = bench.store.watch(bench.scope, id, 6);
    await closing(watch, async () => {
      const found = bench.entriesUntil(watch, 7);
      await bench.store.append(lease, [working(task, 7)]);
      equal(generationsOf(await found), ["7"], "the generations of the entries");
    });
  },

  "a watch can be opened with a later generation than its task has": async (bench) => {
    const opened = await bench.open();
    const watch = bench.store.watch(bench.scope, opened.id, 5);
    await closing(watch, async () => {
      const found = bench.entriesUntil(watch, 8);
      await appendSlowly(bench, opened, 8);
      equal(generationsOf(await found), numbers(6, 8), "the generations of the entries");
    });
  },

  "a watch returns a message that is taken at the generation with which the watch was opened":
    async (bench) => {
      const { id, task, lease } = await bench.open();
      await bench.store.append(lease, [working(task, 2)]);
      const item = bench.item("hello");
      const posted = await bench.store.post(bench.scope, id, item, bench.claim);
      equal(posted?.outcome, "posted", "the outcome of the post");
      const watch = bench.store.watch(bench.scope, id, 2);
      await closing(watch, async () => {
        const found = bench.entriesUntil(watch, 3);
        await bench.store.append(lease, [messageEntry(2, item)], { taken: [item.id] });
        await bench.store.append(lease, [working(task, 3)]);
        equal(await found, [messageEntry(2, item), working(task, 3)], "the entries of the watch");
      });
    },

  "a watch returns an entry once if it is appended twice": async (bench) => {
    const { id, task, lease } = await bench.open();
    const watch = bench.store.watch(bench.scope, id, 1);
    await closing(watch, async () => {
      const found = bench.entriesUntil(watch, 4);
      for (const last of [2, 2, 3, 3, 4])
        await bench.store.append(lease, workingUntil(task, 2, last));
      equal(generationsOf(await found), numbers(2, 4), "the generations of the entries");
    });
  },

  "a watch ends after its task is deleted, and watches of other tasks continue": async (bench) => {
    const [deleted, other] = [await bench.open(), await bench.open()];
    const watches = [deleted, deleted, other].map(({ id }) =>
      bench.store.watch(bench.scope, id, 1),
    );
    const [one, two, kept] = watches.map((watch) => bench.nextOf(watch));
    await bench.pass(1);
    equal(
      await bench.store.erase({ ...bench.scope, taskId: deleted.id }, 10),
      1,
      "the number of deleted tasks",
    );
    equal(
      [await one, await two],
      [undefined, undefined],
      "the last results of the watches of the deleted task",
    );
    await bench.store.append(other.lease, [working(other.task, 2)]);
    equal(await kept, [working(other.task, 2)], "the entries of the watch of another task");
    for (const watch of watches) watch.close();
  },

  "`close` ends a watch permanently, even while `next` waits": async (bench) => {
    const { id, task, lease } = await bench.open();
    for (const watched of [id, "nobody"]) {
      const watch = bench.store.watch(bench.scope, watched, 1);
      const waiting = bench.nextOf(watch);
      await bench.pass(1);
      watch.close();
      equal(await waiting, undefined, "the result of `next` that waited during `close`");
      watch.close();
      equal(await bench.nextOf(watch), undefined, "the result of `next` after `close`");
    }
    const behind = bench.store.watch(bench.scope, id, 1);
    await bench.store.append(lease, [working(task, 2)]);
    behind.close();
    equal(
      await bench.nextOf(behind),
      undefined,
      "the result of `next` after `close` with remaining entries",
    );
  },

  "many watches of a task each return all entries": async (bench) => {
    const opened = await bench.open();
    const all = Array.from({ length: 30 }, () => bench.store.watch(bench.scope, opened.id, 1));
    try {
      const found = all.map((watch) => bench.entriesUntil(watch, 60));
      await appendSlowly(bench, opened, 60);
      for (const entries of await Promise.all(found)) checkGapless(entries, 1, 60);
    } finally {
      for (const watch of all) watch.close();
    }
  },

  "`close` does not end other watches of the task": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [closed, open] = [
      bench.store.watch(bench.scope, id, 1),
      bench.store.watch(bench.scope, id, 1),
    ];
    await closing(open, async () => {
      const [end, found] = [bench.nextOf(closed), bench.entriesUntil(open, 2)];
      closed.close();
      await end;
      await bench.store.append(lease, [working(task, 2)]);
      equal(generationsOf(await found), ["2"], "the generations of the entries of the other watch");
    });
  },

  "a watch that is far behind returns all entries, or the task in their place": async (bench) => {
    const { id, task, lease } = await bench.open();
    const watch = bench.store.watch(bench.scope, id, 1);
    await closing(watch, async () => {
      await bench.store.append(lease, [working(task, 2)]);
      checkGapless(await bench.entriesUntil(watch, 2), 1, 2);
      for (let at = 3; at < 2_003; at += 200)
        await bench.store.append(lease, workingUntil(task, at, at + 199));
      checkGapless(await bench.entriesUntil(watch, 2_002), 2, 2_002);
      const next = bench.entriesUntil(watch, 2_003);
      await bench.store.append(lease, [working(task, 2_003)]);
      checkGapless(await next, 2_002, 2_003);
    });
  },

  "a watch returns only the entries of its task": async (bench) => {
    const [one, other] = [await bench.open(), await bench.open()];
    const watch = bench.store.watch(bench.scope, one.id, 1);
    await closing(watch, async () => {
      const found = bench.entriesUntil(watch, 2);
      await bench.store.append(other.lease, workingUntil(other.task, 2, 5));
      await bench.store.append(one.lease, [working(one.task, 2)]);
      equal(await found, [working(one.task, 2)], "the entries of the watch");
    });
  },
};
