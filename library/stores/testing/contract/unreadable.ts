import { TaskState } from "../../../kit/model.js";
import { LeaseLostError, UnreadableTaskError } from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  type Bench,
  type Cases,
  type DamageTarget,
  type Opened,
  shortMs,
  statusEntry,
  statusOf,
  working,
} from "./bench.js";

/** Data that is not JSON, or does not have the form that a store writes. */
const damages = ["{", "{}", "null", '"x"', "[]"];

async function damage(bench: Bench, target: DamageTarget, text: string): Promise<void> {
  if (bench.damage === undefined)
    throw new Error("the option `damage` of `storeContract` is missing");
  await bench.damage(target, text);
}

function idsOf(errors: readonly UnreadableTaskError[] = []): string[] {
  return errors.map(({ taskId }) => taskId);
}

export const unreadable: Cases = {
  "an unreadable task is reported as an error, and all other tasks can be read and listed": async (
    bench,
  ) => {
    const { store, scope } = bench;
    const [one, bad, two] = [await bench.rest(), await bench.rest(), await bench.rest()];
    for (const text of damages) {
      await damage(bench, { taskId: bad.id }, text);
      await rejects(
        store.read(scope, bad.id),
        UnreadableTaskError,
        `a read of a task with the data ${text}`,
      );
      const post = store.post(scope, bad.id, bench.item("hello"), { ...bench.claim, ttlMs: 1 });
      await rejects(post, UnreadableTaskError, `a post to a task with the data ${text}`);
      const page = await store.list(scope, { limit: 10 });
      equal(
        page.tasks.map(({ task }) => task.id),
        [two.id, one.id],
        "the tasks in a list",
      );
      equal(idsOf(page.unreadable), [bad.id], "the unreadable tasks in a list");
      const { next } = await store.list(scope, { limit: 2 });
      ok(next !== undefined, "a list with a further task must have a further page");
    }
    equal((await store.read(scope, one.id))?.task, one, "a readable task");
  },

  "`claimExpired` reports each unreadable task once, and returns all others": async (bench) => {
    const { store, scope, shortClaim } = bench;
    const opened: Opened[] = [];
    while (opened.length < damages.length + 3)
      opened.push(await bench.open({}, { claim: shortClaim }));
    for (const [at, text] of damages.entries())
      await damage(bench, { taskId: opened[at]?.id ?? "" }, text);
    await bench.pass(shortMs + 1);
    const rows: string[] = [];
    const errors: string[] = [];
    await bench.eventually("claims of all tasks", async () => {
      const found = await store.claimExpired({ ...bench.claim, holder: "process-2" }, 10);
      for (const { lease } of found.rows) rows.push(lease.id);
      for (const { taskId } of found.unreadable) errors.push(taskId);
      return rows.length + errors.length >= opened.length ? true : undefined;
    });
    const ids = opened.map(({ id }) => id);
    equal(rows.sort(), ids.slice(damages.length), "the claimed tasks");
    equal(errors.sort(), ids.slice(0, damages.length), "the unreadable tasks");
    await bench.pass(shortMs + 1);
    const later = await store.claimExpired({ ...bench.claim, holder: "process-3" }, 10);
    equal(
      [later.rows, later.unreadable],
      [[], []],
      "the tasks and the unreadable tasks of a later claim",
    );
    const bad = opened.at(0);
    if (bad === undefined) return;
    await rejects(
      store.append(bad.lease, [working(bad.task, 2)]),
      LeaseLostError,
      "an append of the earlier lease holder",
    );
    await rejects(
      store.post(scope, bad.id, bench.item("hello"), bench.claim),
      UnreadableTaskError,
      "a post to an unreadable task",
    );
    equal(
      (await store.renew([bad.lease], bench.claim)).held.length,
      0,
      "the number of renewed leases",
    );
  },

  "`claimWebhooks` gives up an unreadable webhook and returns all others": async (bench) => {
    const { store, scope } = bench;
    const { id, task, lease } = await bench.open();
    const names = ["a", "b", ...damages.map((_, at) => `damaged ${String(at)}`)];
    for (const name of names) await store.putWebhook(scope, bench.webhook(id, name));
    for (const [at, text] of damages.entries())
      await damage(bench, { taskId: id, webhookId: `damaged ${String(at)}` }, text);
    await store.append(lease, [working(task, 2)]);
    const found = await store.claimWebhooks({ ...bench.claim, ttlMs: 1 }, 10);
    equal(
      found.rows.map(({ webhook }) => webhook.id).sort(),
      ["a", "b"],
      "the webhooks that are due",
    );
    equal(
      idsOf(found.unreadable),
      damages.map(() => id),
      "the tasks of the unreadable webhooks",
    );
    await bench.pass(2);
    await store.append(lease, [working(task, 3)]);
    const later = await store.claimWebhooks(bench.claim, 10);
    equal(
      [later.rows.length, later.unreadable.length],
      [2, 0],
      "the numbers of readable and unreadable webhooks that are due later",
    );
  },

  "an unreadable task does not prevent the cleanup of other tasks": async (bench) => {
    const { store } = bench;
    const ended: Opened[] = [];
    while (ended.length < 3) {
      const opened = await bench.open();
      const entries = [
        working(opened.task, 2),
        statusEntry(opened.task, 3, statusOf(TaskState.Completed, 1)),
      ];
      await store.append(opened.lease, entries, { release: true });
      ended.push(opened);
      await bench.pass(2);
    }
    await damage(bench, { taskId: ended[0]?.id ?? "" }, "{");
    for (let step = 0; step < 6; step += 1) await store.deleteExpired({ maxLogAgeMs: 0, step: 1 });
    ok(
      (await store.deleteExpired({ maxLogAgeMs: 0, step: 1 })) === 0,
      "`deleteExpired` must return 0 after the cleanup",
    );
    await store.deleteExpired({ maxCount: 0 });
    equal((await store.list(bench.scope, { limit: 10 })).total, 0, "the number of remaining tasks");
  },
};
