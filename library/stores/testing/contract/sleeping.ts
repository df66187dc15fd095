import { type Claim, LeaseLostError } from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import { type Bench, type Cases, foundOf, nothingClaimed, shortMs, working } from "./bench.js";
import { leasedOf } from "./inbox.js";

/** Longer than any case takes, and longer than 32 bits of milliseconds. */
const longMs = 100 * 365 * 24 * 60 * 60 * 1_000;

/** Returns the claim of another process. */
function claimOf({ claim }: Bench): Claim {
  return { ...claim, holder: "process-2" };
}

/** Puts a new task to sleep. Without a time, only a post wakes it. */
async function fallAsleep(bench: Bench, wakeInMs: number | undefined) {
  const { id, task, lease } = await bench.open();
  const turn = { ...bench.item("begin"), asleep: true as const };
  const options = { turn, release: true, wakeInMs };
  const found = await bench.store.append(lease, [working(task, 2)], options);
  equal(foundOf(found), { inbox: [], released: true }, "the result of the last append");
  return { id, task, lease, turn, options };
}

/** Waits until a task is claimed, and returns the claimed task. */
async function wakeOf(bench: Bench, id: string) {
  return bench.eventually(`a claim of the task ${id}`, async () => {
    const { rows } = await bench.store.claimExpired(claimOf(bench), 10);
    equal(
      rows.filter(({ lease }) => lease.id !== id),
      [],
      "the other claimed tasks",
    );
    return rows.at(0);
  });
}

export const sleeping: Cases = {
  "`claimExpired` returns a task that sleeps, with the item of its turn, when its time has come":
    async (bench) => {
      const { id, lease, turn } = await fallAsleep(bench, shortMs);
      const woken = await wakeOf(bench, id);
      equal(woken.stored.turn, turn, "the item of the turn");
      equal(woken.lease.holder, "process-2", "the lease holder");
      ok(woken.lease.epoch > lease.epoch, "the next lease must have a greater epoch");
      await bench.store.append(woken.lease, [working({ id }, 3)]);
    },

  "`claimExpired` does not return a task that sleeps before its time": async (bench) => {
    await fallAsleep(bench, longMs);
    await fallAsleep(bench, undefined);
    const claimed = await bench.store.claimExpired(claimOf(bench), 10);
    equal(claimed, nothingClaimed, "the result of the claim");
  },

  "`claimExpired` returns a task at once whose time is now": async (bench) => {
    const { id } = await fallAsleep(bench, 0);
    await wakeOf(bench, id);
  },

  "`create` puts a task without a lease to sleep": async (bench) => {
    const turn = { ...bench.item("begin"), asleep: true as const };
    const [soon, late] = [bench.task(), bench.task()];
    await bench.store.create(late, bench.options({ turn, wakeInMs: longMs }));
    await bench.store.create(soon, bench.options({ turn, wakeInMs: shortMs }));
    const { stored } = await wakeOf(bench, soon.id);
    equal(stored.turn, turn, "the item of the turn");
  },

  "`post` acquires the lease of a task that sleeps, whose time is then dropped": async (bench) => {
    for (const wakeInMs of [shortMs, longMs, undefined]) {
      const { id } = await fallAsleep(bench, wakeInMs);
      const wake = { id: bench.id("wake"), wake: { payload: { approved: true } } };
      const posted = await bench.store.post(bench.scope, id, wake, claimOf(bench));
      const { lease, stored } = leasedOf(posted);
      equal(stored.inbox, [wake], "the inbox");
      await bench.pass(shortMs + 1);
      const claimed = await bench.store.claimExpired(bench.claim, 10);
      equal(claimed, nothingClaimed, "the result of another process's claim");
      const found = await bench.store.append(lease, [working({ id }, 3)], { taken: [wake.id] });
      equal(foundOf(found), { inbox: [], released: false }, "the result of the next append");
    }
  },

  "`append` does not put a task to sleep whose inbox has items": async (bench) => {
    const { id, task, lease } = await bench.open();
    const item = bench.item("go on");
    await bench.store.post(bench.scope, id, item, claimOf(bench));
    const options = { release: true, wakeInMs: 0 };
    const found = await bench.store.append(lease, [working(task, 2)], options);
    equal(foundOf(found), { inbox: [item], released: false }, "the result of the append");
    const claimed = await bench.store.claimExpired(claimOf(bench), 10);
    equal(claimed, nothingClaimed, "the result of a claim");
  },

  "`append` that puts a task to sleep can be repeated, and later appends are rejected": async (
    bench,
  ) => {
    const { task, lease, options } = await fallAsleep(bench, longMs);
    const found = await bench.store.append(lease, [working(task, 2)], options);
    equal(foundOf(found), { inbox: [], released: true }, "the result of the repeated append");
    const { held } = await bench.store.renew([lease], bench.claim);
    equal(held, [], "the leases that can be renewed");
    const later = bench.store.append(lease, [working(task, 3)]);
    await rejects(later, LeaseLostError, "an append after the release");
  },
};
