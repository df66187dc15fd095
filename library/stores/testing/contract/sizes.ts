import { TaskState } from "../../../kit/model.js";
import { pageBytes } from "../../../kit/limits/size.js";
import { type CallFacts, LeaseLostError, type Usage } from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  type Bench,
  type Cases,
  freeze,
  messageEntry,
  shortMs,
  statusEntry,
  statusOf,
  working,
} from "./bench.js";

/** Returns an item whose message has approximately the given size. */
function itemOf(bench: Bench, bytes: number): ReturnType<Bench["item"]> {
  const { id, message } = bench.item("long");
  return freeze({ id, message: { ...message, parts: [{ text: "x".repeat(bytes) }] } });
}

async function bytesOf({ store, scope }: Bench, id: string): Promise<number> {
  return (await store.read(scope, id))?.bytes ?? 0;
}

function usageOf({ store, scope }: Bench): Promise<Usage> {
  return store.usage(scope, true);
}

/** Returns whether a size is close to the expected size. Stores measure sizes differently. */
function isAbout(found: number, expected: number): boolean {
  return found > expected * 0.8 && found < expected * 1.2;
}

export const sizes: Cases = {
  "the size of a task includes posted messages and appended entries": async (bench) => {
    const { id, task, lease } = await bench.open();
    const first = await bytesOf(bench, id);
    const item = itemOf(bench, 50_000);
    await bench.store.post(bench.scope, id, item, bench.claim);
    const second = await bytesOf(bench, id);
    ok(
      isAbout(second - first, 50_000),
      `a post must add about 50,000 bytes, got ${String(second - first)}`,
    );
    const taken = await bench.store.append(lease, [messageEntry(1, item)], { taken: [item.id] });
    equal(taken.bytes, await bytesOf(bench, id), "the size in the result of the append");
    ok(
      isAbout(taken.bytes - first, 50_000),
      `a taken message must add about 50,000 bytes, got ${String(taken.bytes - first)}`,
    );
    const status = statusOf(TaskState.Working, 2, { ...item.message, messageId: "status" });
    const { bytes } = await bench.store.append(lease, [statusEntry(task, 2, status)]);
    ok(
      isAbout(bytes - taken.bytes, 50_000),
      `an event must add about 50,000 bytes, got ${String(bytes - taken.bytes)}`,
    );
  },

  "the sizes of tasks and of pages of expired tasks include the call and the checkpoint of turns":
    async (bench) => {
      const { store, scope } = bench;
      const call = (bytes: number): CallFacts => {
        return {
          user: "",
          extensions: [],
          acceptedOutputModes: [],
          metadata: { text: "x".repeat(bytes) },
        };
      };
      const { id, task, lease } = await bench.open(
        {},
        { turn: freeze({ ...bench.item("begin"), call: call(50_000) }) },
      );
      const first = await bytesOf(bench, id);
      ok(
        isAbout(first, 50_000),
        `a task with a large call must have about 50,000 bytes, got ${String(first)}`,
      );
      const item = freeze({ ...bench.item("more"), call: call(20_000) });
      equal(
        (await store.post(scope, id, item, bench.claim, { maxInboxBytes: 10_000 }))?.outcome,
        "full",
        "the outcome of a post with a large call",
      );
      await store.append(lease, [], { checkpoint: { text: "x".repeat(100_000) } });
      const second = await bytesOf(bench, id);
      ok(
        isAbout(second - first, 100_000),
        `a checkpoint must add about 100,000 bytes, got ${String(second - first)}`,
      );
      equal((await usageOf(bench)).openBytes, second, "`openBytes` of the owner");
      const other = await store.append(lease, [], { checkpoint: {}, turn: item });
      ok(
        isAbout(other.bytes, 20_000),
        `a task with another turn must have about 20,000 bytes, got ${String(other.bytes)}`,
      );
      equal(other.bytes, await bytesOf(bench, id), "the size in the result of the append");
      await store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 2))], {
        release: true,
      });
      const ended = await bytesOf(bench, id);
      ok(
        ended < 5_000,
        `a task that has ended must have less than 5,000 bytes, got ${String(ended)}`,
      );
      for (let count = 0; count < 4; count += 1) {
        const turn = freeze({ ...bench.item("begin"), call: call(pageBytes / 2 + 1) });
        await bench.open({}, { turn, claim: bench.shortClaim });
      }
      await bench.pass(2 * shortMs);
      const { rows, hasMore } = await store.claimExpired(bench.claim, 100);
      equal(
        [rows.length, hasMore],
        [1, true],
        "the number of tasks in the first page, and `hasMore`",
      );
      const next = await store.claimExpired(bench.claim, 100);
      equal(
        [next.rows.length, next.hasMore],
        [1, true],
        "the number of tasks in the second page, and `hasMore`",
      );
    },

  "`post` refuses messages over the limits of the inbox or the task, but accepts a cancel request":
    async (bench) => {
      const { id } = await bench.rest();
      const post = async (bytes: number, expected: object): Promise<string | undefined> =>
        (await bench.store.post(bench.scope, id, itemOf(bench, bytes), bench.claim, expected))
          ?.outcome;
      equal(
        await post(50_000, { maxInboxBytes: 40_000 }),
        "full",
        "the outcome of a post with a message that is larger than `maxInboxBytes`",
      );
      equal(
        await post(50_000, { maxBytes: 40_000 }),
        "tooLarge",
        "the outcome of a post with a message that is larger than `maxBytes`",
      );
      equal(
        await post(50_000, { maxInboxBytes: 80_000, maxBytes: 80_000 }),
        "leased",
        "the outcome of a post within both limits",
      );
      equal(
        await post(50_000, { maxInboxBytes: 80_000 }),
        "full",
        "the outcome of a second post that exceeds `maxInboxBytes`",
      );
      equal(
        await post(50_000, { maxBytes: 80_000 }),
        "tooLarge",
        "the outcome of a second post that exceeds `maxBytes`",
      );
      const cancel = freeze({ id: `cancel ${id}`, cancel: {} });
      const noRoom = { maxInbox: 0, maxInboxBytes: 0, maxBytes: 0 };
      equal(
        (await bench.store.post(bench.scope, id, cancel, bench.claim, noRoom))?.outcome,
        "posted",
        "the outcome of a post with a cancel request",
      );
      equal(
        (await bench.store.read(bench.scope, id))?.inbox.length,
        2,
        "the number of items in the inbox",
      );
    },

  "`usage` counts the open tasks and the bytes of all tasks of an owner": async (bench) => {
    const { store, scope } = bench;
    equal(
      await usageOf(bench),
      { openTasks: 0, openBytes: 0, webhooks: 0, storedBytes: 0 },
      "the usage without tasks",
    );
    const [one, two] = [await bench.open(), await bench.open()];
    await store.create(bench.task(), bench.options({ scope: { ...scope, owner: "other" } }));
    for (const name of ["a", "b", "b"]) await store.putWebhook(scope, bench.webhook(one.id, name));
    await store.putWebhook(scope, bench.webhook(two.id, "c"));
    await store.deleteWebhook(scope, one.id, "a");
    const bytes = async (): Promise<number> =>
      (await bytesOf(bench, one.id)) + (await bytesOf(bench, two.id));
    const open = await bytes();
    equal(
      await usageOf(bench),
      { openTasks: 2, openBytes: open, webhooks: 2, storedBytes: open },
      "the usage with two open tasks",
    );
    ok(
      (await store.usage(scope, false)).storedBytes === undefined,
      "`storedBytes` must be absent unless it is requested",
    );
    await store.post(scope, two.id, itemOf(bench, 1_000), bench.claim);
    await store.append(one.lease, [statusEntry(one.task, 2, statusOf(TaskState.Completed, 2))], {
      release: true,
    });
    const [left, all] = [await bytesOf(bench, two.id), await bytes()];
    equal(
      await usageOf(bench),
      { openTasks: 1, openBytes: left, webhooks: 1, storedBytes: all },
      "the usage with an open and an ended task",
    );
    await bench.pass(2);
    await store.deleteExpired({ maxCount: 0 });
    equal(
      await usageOf(bench),
      { openTasks: 1, openBytes: left, webhooks: 1, storedBytes: left },
      "the usage after the ended task was deleted",
    );
  },

  "`erase` deletes a task, or all tasks of an owner or a tenant, with all their data": async (
    bench,
  ) => {
    const { store, scope } = bench;
    const ids: string[] = [];
    const { id, task, lease } = await bench.open();
    await store.putWebhook(scope, bench.webhook(id, "hook", { after: 0 }));
    await store.post(scope, id, bench.item("hello"), bench.claim);
    for (const owner of [scope.owner, scope.owner, "other", "third"]) {
      const other = bench.task();
      await store.create(other, bench.options({ scope: { ...scope, owner } }));
      ids.push(other.id);
    }
    const other = { tenant: "tenant 2", owner: scope.owner };
    const kept = bench.task();
    await store.create(kept, bench.options({ scope: other }));
    equal(
      await store.erase({ ...other, taskId: id }, 10),
      0,
      "the number of deleted tasks for a task of another tenant",
    );
    equal(
      await store.erase({ ...scope, taskId: id }, 10),
      1,
      "the number of deleted tasks for a task",
    );
    equal(await store.read(scope, id), undefined, "the deleted task");
    equal(
      (await store.claimWebhooks(bench.claim, 10)).rows,
      [],
      "the webhooks that are due after the deletion",
    );
    await rejects(
      store.append(lease, [working(task, 2)]),
      LeaseLostError,
      "an append to a deleted task",
    );
    equal(
      [await store.erase(scope, 1), await store.erase(scope, 1), await store.erase(scope, 1)],
      [1, 1, 0],
      "the numbers of deleted tasks for an owner, in steps of 1",
    );
    equal((await store.list(scope, { limit: 10 })).total, 0, "the number of tasks of the owner");
    equal(
      await usageOf(bench),
      { openTasks: 0, openBytes: 0, webhooks: 0, storedBytes: 0 },
      "the usage of the owner",
    );
    equal(
      await store.erase({ tenant: scope.tenant }, 10),
      2,
      "the number of deleted tasks for the tenant",
    );
    equal((await store.read(other, kept.id))?.task.id, kept.id, "the task of another tenant");
    await store.create(bench.task({ id }), bench.options());
    equal(
      (await store.read(scope, id))?.inbox,
      [],
      "the inbox of a new task with the id of a deleted task",
    );
  },

  "concurrent calls of `putWebhook` add at most as many webhooks as allowed": async (bench) => {
    const { store, scope } = bench;
    const { id } = await bench.open();
    const names = Array.from({ length: 12 }, (_, at) => `hook ${String(at)}`);
    const outcomes = await Promise.all(
      names.map((name) => store.putWebhook(scope, bench.webhook(id, name), 3)),
    );
    equal(
      outcomes.filter((outcome) => outcome === "put").length,
      3,
      "the number of added webhooks",
    );
    equal(
      outcomes.filter((outcome) => outcome === "full").length,
      9,
      "the number of refused webhooks",
    );
    const first = (await store.webhooks(scope, id))?.at(0);
    ok(first !== undefined, "the task must have webhooks");
    if (first !== undefined)
      equal(
        await store.putWebhook(scope, first, 3),
        "put",
        "the result of `putWebhook` for an existing webhook",
      );
  },

  "`list` returns short pages of large tasks, and all tasks in total": async (bench) => {
    const parts = [{ text: "x".repeat(10 * 2 ** 20) }];
    const opened: string[] = [];
    for (let second = 0; second < 5; second += 1) {
      const history = [{ messageId: "m", role: "ROLE_USER", parts } as const];
      const { id } = await bench.open({ history, status: statusOf(TaskState.Working, second) });
      opened.push(id);
    }
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const { tasks, next } = await bench.store.list(bench.scope, { limit: 100, cursor });
      ok(
        tasks.length > 0 && tasks.length < 5,
        `a page must have 1 to 4 tasks, got ${String(tasks.length)}`,
      );
      for (const { task } of tasks) found.push(task.id);
      cursor = next;
    } while (cursor !== undefined);
    equal(found, opened.reverse(), "the tasks of all pages");
  },
};
